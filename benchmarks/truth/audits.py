"""The logs of a run, written and read again in several formats and orders, and what
`choreomon audit` says of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from math import prod
from pathlib import Path
from random import Random
from typing import Final

from benchmarks.truth.judging import Asked, Truth, audited
from choreomon.audit.auditor import Auditor
from choreomon.audit.oracle import label_of
from choreomon.audit.outcome import Outcome
from choreomon.audit.reading import tell
from choreomon.core.recorded import Place, RecordedEvent
from choreomon.logs.formats import LogFormat
from choreomon.logs.mappings.mapping import Recorded
from choreomon.logs.mappings.mapping_document import load_mapping
from choreomon.logs.readers.reading import read_recorded
from choreomon.logs.trace import trace_line
from choreomon.logs.writers.json_lines import json_lines
from choreomon.logs.writers.otlp import otlp_request
from choreomon.logs.writers.recorded_run import RecordedRun
from choreomon.logs.writers.shiviz import recorded_shiviz_log
from choreomon.properties.automaton import SequenceAutomaton
from tests.audit.cases import Case, faults, shuffled
from tests.simulator.monitored import Judged

EXPORTED: Final = Path(__file__).parents[2] / "examples" / "shiviz" / "exported-mapping.yaml"

MOST_CUTS: Final = 1_500
"""Cuts of logs, unlabelled events and all, that brute force may walk."""


def audits(
    automaton: SequenceAutomaton, found: Judged, truth: Truth, random: Random, *, ticking: bool
) -> Iterator[tuple[str, Asked]]:
    """Every format in one layout: a log of the run as it happened, or one of each process, which
    are read side by side. And what is left where clocks and ids are only here and there.
    `ticking`: clocks count every event, not only those that the property names, as in real runs."""
    processes = found.run.processes
    lines = [trace_line(event, processes) + "\n" for event in found.events]
    # Before its first event of the property a process of a real run has an empty clock.
    recorded = [*_understood("".join(lines), "events")]
    run = RecordedRun(f"run-{found.run.seed}", processes, found.events)
    by_process = random.random() < 0.5

    def one_each(text: Callable[[Sequence[RecordedEvent]], str]) -> list[str]:
        if not by_process:
            return [text(recorded)]
        logs = [[each for each in recorded if each.process == name] for name in processes]
        random.shuffle(logs)
        return [text(log) for log in logs if log]

    def own_lines(events: Sequence[RecordedEvent]) -> str:
        return "".join(lines[event.place.line - 1] for event in events)

    logs_in: dict[LogFormat, list[str]] = {"events": one_each(own_lines)}
    if ticking:  # others are not exported
        logs_in["jsonl"] = one_each(json_lines)
        logs_in["otlp"] = [otlp_request(run)]
        logs_in["shiviz"] = one_each(recorded_shiviz_log)
    for log_format, logs in logs_in.items():
        yield f"audit, {log_format}", audited(found, truth, _audit(automaton, logs, log_format))
    chains = [sum(each.process == name for each in recorded) for name in processes]
    if ticking and prod(count + 1 for count in chains) <= MOST_CUTS:
        with_ids = [*_understood(otlp_request(run), "otlp")]
        yield "audit, clocks here and there", _here_and_there(automaton, with_ids, random)


def _events(text: str, log_format: LogFormat) -> Iterator[Recorded]:
    mapping = load_mapping(EXPORTED) if log_format == "shiviz" else None
    return read_recorded(BytesIO(text.encode()), log_format, mapping, file="log")


def _understood(text: str, log_format: LogFormat) -> Iterator[RecordedEvent]:
    return (each for each in _events(text, log_format) if isinstance(each, RecordedEvent))


def _audit(automaton: SequenceAutomaton, logs: Sequence[str], log_format: LogFormat) -> Outcome:
    auditor = Auditor(automaton)
    strange: list[object] = []
    tell(auditor, [_events(log, log_format) for log in logs], strange.append, lambda: False)
    return auditor.finish({label.process for label in automaton.labels})


def _here_and_there(
    automaton: SequenceAutomaton, events: Sequence[RecordedEvent], random: Random
) -> Asked:
    """Logs of which each says something else, beside the audit's own brute force."""
    asked = Asked()
    written = json_lines(shuffled(random, [*thinned(events, random)]))
    read_again = [
        event._replace(place=Place("log", number))
        for number, event in enumerate(_understood(written, "jsonl"))
    ]
    case = Case(automaton, "mixed", tuple(read_again), (), random.choice((1, 2, 16)))
    true = case.truth()
    outcome = case.audit()
    questions = sum(label_of(automaton, event) is not None for event in read_again)
    asked.counts.update(verdict.kind for verdict in outcome.verdicts)
    asked.counts += Counter(
        questions=questions,
        nothing=questions - len(outcome.verdicts),
        unsettled=sum(verdict.undecided for verdict in outcome.verdicts),
    )
    asked.wrong += [(-1, told) for told in faults(case, outcome, true)]
    return asked


def thinned(events: Sequence[RecordedEvent], random: Random) -> Iterator[RecordedEvent]:
    """Each process writes clocks at all events, at some or at none, and numbers or ids or neither;
    numbers always where only some have clocks, so that nothing seems to be missing."""
    says = {
        event.process: (
            random.choice((0.0, 0.5, 1.0)),
            random.random() < 0.5,
            random.random() < 0.5,
        )
        for event in events
    }
    for event in events:
        clocks, numbers, ids = says[event.process]
        assert event.clock is not None
        yield event._replace(
            clock=event.clock if random.random() < clocks else None,
            number=event.clock[event.process] if numbers or clocks == 0.5 else None,
            message_id=event.message_id if ids else None,
        )
