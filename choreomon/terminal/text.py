"""Make tables and coloured text for the terminal, as values that rich prints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import fsum
from typing import Final

from rich.table import Table
from rich.text import Text

from choreomon.core.labels import CarryingLabel
from choreomon.core.message import BEGIN, Label
from choreomon.core.run import MonitorsMessage, Run, RunEvent, RunVerdict
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED, WITHDRAWN, VerdictKind
from choreomon.properties.automaton import SequenceAutomaton, Transition
from choreomon.properties.owned import owned_rows
from choreomon.properties.sequences import steps_of
from choreomon.properties.tables import TransitionTable
from choreomon.sentences.explanation import explanation
from choreomon.sentences.summary import (
    WITHDRAWN_NOTE,
    alike_runs,
    few_seeds,
    figures,
    worst_verdict,
)
from choreomon.sentences.verification import verdict_of
from choreomon.sentences.wording import (
    DECLARATION,
    formula_in_words,
    number,
)
from choreomon.terminal.outcomes_grid import STYLE_OF

STYLES: Final[dict[VerdictKind, str]] = {
    VIOLATED: "bold red",
    POSSIBLY_VIOLATED: "bold yellow",
    WITHDRAWN: "green",
}
MAX_SEEDS: Final = 5
"""The most seeds of equal results that are named."""


def transitions_table(automaton: SequenceAutomaton) -> Table:
    """The table of transitions: kind, from, label, to, and the process whose monitor watches it."""
    table = _table("Transitions", "kind", "from", "label", "to", "watched by")
    for kind, transitions in (("forward", automaton.forward), ("backward", automaton.backward)):
        for t in transitions:
            written = automaton.written(t.label)
            _row(table, kind, t.source, written, t.target, _watched_by(t.label))
    for loop in automaton.self_loops:
        _row(table, "self-loop", loop.state, formula_in_words(loop.formula), loop.state, "")
    table.caption = Text(
        f"initial: {', '.join(automaton.initial)}; final: {', '.join(automaton.final)}"
    )
    return table


def rules_table(automaton: SequenceAutomaton) -> Table:
    """The table for a property written as rules: each in a sentence, and the processes whose
    monitors say when it is violated."""
    table = _table("Rules", "rule", "severity", "what must not happen", "told by")
    for stated, states in automaton.rules:
        last = [t for t in automaton.forward if t.target in automaton.final and t.source in states]
        told_by = ", ".join(dict.fromkeys(t.label.process for t in last))
        said = stated.description or ", ".join(dict.fromkeys(str(t.label) for t in last))
        _row(table, stated.name, stated.severity, said, told_by)
    return table


def steps_table(automaton: SequenceAutomaton) -> Table:
    """The table for a property written as sequences: their steps, and the process whose monitor
    watches each."""
    labels: dict[tuple[str, str], Label] = {}
    for t in automaton.forward:
        labels.setdefault((t.source, t.target), t.label)  # what begins anew acts as `BEGIN` does
    table = _table("Steps", "sequence", "step", "label", "watched by")
    for column in table.columns[:2]:
        column.justify = "right"
    for ends, step in steps_of(automaton.sequences).items():
        label = labels[ends]
        written = automaton.written(label)
        _row(table, str(step.sequence), str(step.number), written, _watched_by(label))
    return table


def _watched_by(label: Label) -> str:
    return "every monitor" if label == BEGIN else label.process


def table_rows(table: TransitionTable) -> tuple[tuple[str, str, str, str], ...]:
    """The rows as Tables 1-3 of the paper write them: the transition, `⊤` if it leads into a final
    state, otherwise `⊥`, its pre-transition, its vio-transitions."""
    return tuple(
        (
            _transition(row.transition, table),
            "⊤" if row.final else "⊥",
            "∅" if row.pre is None else str(row.pre),
            "{" + ", ".join(map(str, row.vio)) + "}" if row.vio else "∅",
        )
        for row in owned_rows(table.rows)
    )


def _transition(transition: Transition, table: TransitionTable) -> str:
    source, label, target = transition
    return f"({source}, {CarryingLabel(label, table.carries.get(label, ()))}, {target})"


def monitor_table(table: TransitionTable) -> Table:
    """The transition table of one monitor: all that it knows of the property."""
    shown = _table(
        f"Transition table of {table.process}",
        "transition",
        "final",
        "pre-transition",
        "vio-transition",
    )
    for row in table_rows(table):
        _row(shown, *row)
    if not table.rows:
        shown.caption = Text("no rows: this monitor has nothing to watch")
    return shown


def verdict_text(
    verdict: RunVerdict,
    events: Sequence[RunEvent] = (),
    automaton: SequenceAutomaton | None = None,
    *,
    verbose: bool = False,
    messages: Sequence[MonitorsMessage] = (),
    processes: Sequence[str] = (),
) -> Text:
    """The verdict and its reasons in sentences, what is declared coloured. `processes`: those of
    the run."""
    explained = explanation(
        *(verdict, events, automaton), verbose=verbose, messages=messages, processes=processes
    )
    declaration = DECLARATION[verdict.verdict]
    text = Text(f"{verdict.monitor} ")
    text.append(declaration, STYLES[verdict.verdict])
    text.append(explained.headline[len(text) :])
    for sentence in explained.sentences:
        text.append(f"\n  {sentence}")
    return text


def summary_table(runs: Sequence[Run], *, brief: bool = False) -> Table:
    """The table for all runs together: verdicts, events, monitoring messages, latency, history;
    `brief`: the first rows of these, as `figures` says."""
    table = Table(title=Text("Summary"), title_justify="left", show_header=False)
    table.add_column()
    table.add_column(justify="right")
    for name, value in figures(runs, brief=brief):
        _row(table, name, value)
    if any(verdict.verdict == WITHDRAWN for run in runs for verdict in run.verdicts):
        table.caption = Text(WITHDRAWN_NOTE)
        table.caption_justify = "left"
    return table


def runs_table(runs: Sequence[Run]) -> Table:
    """The table with a line for each different result, the gravest first: the number of its runs,
    their seeds, and what these runs spent on average. The result includes how often the property
    was really formed, and missed."""
    table = _table("Runs", "result", "runs", "seeds", "events", "messages", "bytes", "latency, ms")
    for column in (table.columns[1], *table.columns[3:]):
        column.justify = "right"
    with_logs = any(run.verification is not None for run in runs)
    if with_logs:
        table.add_column("logs", overflow="fold")
    for kind in alike_runs(runs):
        _, said, unseen, logs = kind.key
        own = (kind.first, *kind.others)
        worst = worst_verdict(kind.first)
        result = Text(said) if worst is None else Text(said, STYLES[worst])
        result.append(unseen, "bold red")
        latencies = [run.latency.mean / 1000 for run in own if run.latency.mean is not None]
        table.add_row(
            result,
            Text(f"{len(own):,}"),
            Text(few_seeds(sorted(own, key=lambda run: run.seed), MAX_SEEDS)),
            *(
                Text(number(fsum(values) / len(values), 1))
                for values in (
                    [run.events for run in own],
                    [run.monitoring_messages for run in own],
                    [run.monitoring_bytes for run in own],
                )
            ),
            Text(number(fsum(latencies) / len(latencies))) if latencies else Text("–"),
            *([Text(logs, _of_verdict(kind.first))] if with_logs else []),
        )
    if len(runs) > 1:
        table.caption = Text("Events, messages, bytes and latency are means.")
    return table


def _of_verdict(run: Run) -> str:
    return "" if run.verification is None else STYLE_OF[verdict_of(run.verification)]


def _table(title: str, *columns: str) -> Table:
    table = Table(title=Text(title), title_justify="left", caption_justify="left")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _row(table: Table, *cells: str) -> None:
    # Text, not strings: a name like "[red]" is a name, and no markup.
    table.add_row(*_texts(cells))


def _texts(cells: Iterable[str]) -> list[Text]:
    return [Text(cell) for cell in cells]
