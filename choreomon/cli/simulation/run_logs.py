"""The logs of simulated runs, verified against the interaction of their document."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from choreomon.core.run import Verification
    from choreomon.documents.read import Document
    from choreomon.interaction.term import Interaction
    from choreomon.multitrace.multitrace import MultiTrace
    from choreomon.verify.outcome import Outcome
    from choreomon.verify.verdict import Answer, Mode
    from simulator.observation import Logbook, WindowsName


class RunLogs:
    """Verifier of the logs of one run after the other, all in the same mode."""

    def __init__(
        self, document: Document, interaction: Interaction, mode: Mode, windows: WindowsName
    ) -> None:
        from choreomon.batch.bounds import MEMORY, bounds_for
        from choreomon.verify.verifier import Verifier
        from simulator.observation import logs_from_document

        self._logs = logs_from_document(document.observation, document.processes)
        self.interaction = interaction
        self.mode: Mode = mode
        self.windows: WindowsName = windows
        self._last: MultiTrace | None = None
        self._unfit: tuple[int, MultiTrace, Answer] | None = None
        self._bounds = bounds_for(interaction, None, MEMORY)
        self._decide = Verifier(interaction, mode, should_stop=self._bounds).decide

    def logbook(self) -> Logbook:
        """A recorder for one run."""
        from simulator.observation import Logbook

        return Logbook(self._logs)

    def verification(self, logbook: Logbook, seed: int) -> Verification:
        """Verify the run that was recorded."""
        from choreomon.core.run import Verification

        seen = logbook.seen(seed, self.windows)
        self._last = seen.multitrace
        self._bounds.start()
        answer = self._decide(seen.multitrace)
        if self._unfit is None and not answer.verdict.passes:
            self._unfit = seed, seen.multitrace, answer
        logs = zip(seen.multitrace.components, seen.happened, strict=True)
        return Verification(
            self.mode,
            answer.verdict.value,
            answer.reason,
            tuple((part.lifelines, len(part.actions), happened) for part, happened in logs),
        )

    def why(self) -> list[str]:
        """The witness for the logs that were verified last, or where their explanation breaks, in
        sentences. Raises ValueError where none were."""
        from choreomon.batch.explaining import explained
        from choreomon.terminal.outcomes import why
        from choreomon.verify.verdict import Verdict

        if self._last is None:
            raise ValueError("no logs were verified")
        return why(explained(self.interaction, self._last, self.mode, Verdict.INCONC))

    def unfit(self) -> Outcome | None:
        """The first run whose logs do not fit, or are undecided, with the reason; None if all
        fit."""
        from choreomon.batch.explaining import blamed, explained
        from choreomon.verify.outcome import Outcome

        if self._unfit is None:
            return None
        seed, logs, answer = self._unfit
        found = explained(self.interaction, logs, self.mode, answer.verdict)
        fault = None
        if not answer.verdict.inconclusive:
            fault = blamed(self.interaction, logs, self.mode)
        return Outcome(f"seed {seed}", self.mode, answer, 0.0, found, fault=fault)


def run_logs(document: Document, mode: Mode | None, windows: WindowsName | None) -> RunLogs | None:
    """The verification of runs; None where no mode is given. Raises `UsageError` where there is
    nothing to verify, or nothing to verify it against."""
    if mode is None:
        if windows is not None:
            raise click.UsageError("--windows says what --verify sees: give both")
        return None
    if document.interaction is None:
        raise click.UsageError(f"{document.file} has no interaction: --verify needs one")
    return RunLogs(document, document.interaction.interaction, mode, windows or "document")
