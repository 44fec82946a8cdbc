"""The report of `choreomon simulate` and `choreomon run`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from choreomon.cli.simulation.run_logs import RunLogs
    from choreomon.cli.simulation.runs import Runner
    from choreomon.core.run import Run
    from choreomon.documents.read import Document


@dataclass(frozen=True, slots=True)
class RunPage:
    """The page of a report."""

    document: Document
    runner: Runner
    seed: int
    verifying: RunLogs | None

    def of(self, runs: list[Run]) -> str:
        """The whole page, as HTML."""
        from choreomon.cli.command_line.made_with import made_with
        from choreomon.pages.report import report_page
        from choreomon.properties.tables import transition_tables

        document, seed, verifying = self.document, self.seed, self.verifying
        assert document.property is not None
        automaton = document.property.automaton
        facts = [
            ("document", document.file),
            *self.runner.facts,
            ("rules", self.runner.rules),
            ("seeds", str(seed) if len(runs) == 1 else f"{seed} to {seed + len(runs) - 1}"),
        ]
        interaction = None
        if verifying is not None:
            interaction = verifying.interaction
            facts += [("verified, mode", verifying.mode), ("logs seen", verifying.windows)]
        tables = transition_tables(automaton, document.processes, self.runner.rules)
        return report_page(
            document.name,
            facts,
            automaton,
            runs,
            tables=[table for table in tables.values() if table.rows],
            interaction=interaction,
            unfit=None if verifying is None else verifying.unfit(),
            made_with=made_with(),
        )
