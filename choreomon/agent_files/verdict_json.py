"""A live verdict as one line of JSON, and back.

    {"id":"9f0c.../car/3/violated/5e1d...","verdict":"violated","provisional":false,
     "system":"9f0c...","property":"smart-home","process":"car","count":3,
     "label":"car -> garage : close","clock":{"hallway":2,"car":3},
     "transitions":[["q2","q3"]],
     "because":[{"event":{"process":"hallway","count":2},"transition":["q1","q2"],"role":"pre",
                 "result":"Frm","relation":"before","certain":true}],
     "silent":[],"waiting_for":[],"unseen":false,"time":"2026-01-31T12:00:00.250Z",
     "sequences":[3]}

but all on one line of ASCII. The fields, in this order:

- `id`: of the verdict, `SYSTEM/PROCESS/COUNT/KIND/STORE`, with `/RULE` after the count where it is
  about a rule. One that is delivered again has the same,
  and no verdict about another event, also where two agents of one process count the same.
- `verdict`: `violated`, `possibly-violated` or `withdrawn`.
- `provisional`: whether it was given at a deadline, and another verdict about the event follows.
- `system`: the id that `choreomon split` gave the property, 32 hex digits; `property`: its title.
- `process`, `count`: the event: its process, and its number, from 1, among the events of this
  process that the property's table mentions.
- `label`: of the event, as documents write it; `null` for the end of a gap.
- `clock`: of the event, by process, zero entries left out.
- `transitions`: the final ones, as `[from, to]`, that fired or may have; of a withdrawn verdict
  those that were judged.
- `because`: one entry for each record that the verdict rests on, see below.
- `silent`: the processes whose monitors had not answered; `waiting_for`: those for whom these said
  that they wait in turn.
- `unseen`: whether it is about events in a gap, which may have formed the property unnoticed.
- `time`: wall time when it was told, in RFC 3339. For people: it orders nothing.
- `sequences`: where the property was written as sequences, the number of steps of each, from which
  follows which step a transition is; left out for an automaton.
- `left_out`: only where the verdict would be longer than people read, or than 16 KB: how many
  entries which of these fields lacks, as `{"because": 4071}`
  (`choreomon.agent_files.verdict_size`).
- `rule`: only of a property that is written as rules, and not of the end of a gap that may hide
  events of several: the `id` of the one that it is about, `where` (what its variables stand for),
  `description`, `severity`, `runbook_url` and `tags`, those that it has.
- `for`: only of a property for each instance, and not of the end of a gap: the values that the
  event's message carries, by the names of parameters, as `{"order": "A-17"}`.
- `trace_id`: only where the service said it: the id of the trace that the event is in, 32
  hexadecimal digits. An `event` in `because` has one where it is known
  (`choreomon.runtime.said_of_events`).

The entries of `because` are those of docs/verdicts.md, "Reasons in JSON", but `event`, `of` and
`since` are events, `{"process": ..., "count": ...}`, and there is no `event_index`. `result` may
also be `Gap`, where a process may have done what its agent was not told of. Its event is then
`{"process": ..., "count": ..., "gap": true}` with the count of the gap's end, which is left out
while it has not ended; and `since` is the last event before it, with count 0 where there is none.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from choreomon.agent_files.table_file import SplitTable
from choreomon.agent_files.told_traces import EventTrace
from choreomon.agent_files.values import without_trace
from choreomon.agent_files.verdict_size import fitted
from choreomon.core.binding import Binding
from choreomon.core.errors import MalformedMessage
from choreomon.core.live import EventName, LiveReason, LiveVerdict, live_rule
from choreomon.core.message import BEGINNING
from choreomon.core.stated_rule import rule_of
from choreomon.core.vector_clock import VectorClock, by_name
from choreomon.core.verdict import GAP, NEVER, MonitorVerdict, Reason, Reference
from choreomon.properties.sequences import possible_lengths

_DECODER: Final = msgspec.json.Decoder()
_LATEST: Final = 253_402_300_799
"""The last second that RFC 3339 can write."""


def live_verdict(
    verdict: MonitorVerdict,
    table: SplitTable,
    *,
    id: str,
    count: int,
    label: str,
    provisional: bool,
    time: float,
    said: Binding = (),
    traces: Iterable[EventTrace] = (),
) -> LiveVerdict:
    """The verdict of a monitor with this table, with its events named, and as long as verdicts may
    be. `label` is empty for the end of a gap; `time` is wall time in seconds; `said` is what the
    service said of the event (`choreomon.agent_files.values.without_trace`), and `traces` are those
    of the events in the reasons, as far as they are known."""
    instance, trace_id = without_trace(said)
    named = _Naming(table.processes, verdict.because, traces)
    left_out = verdict.reasons_left_out
    transitions = tuple([_arrow(reference) for reference in verdict.transitions])
    rule = rule_of(table.table.rules, transitions)
    whole = LiveVerdict(
        id=id,
        verdict=verdict.kind,
        provisional=provisional,
        system=table.system_id,
        property=table.title,
        process=verdict.process,
        count=count,
        label=label or None,
        clock=by_name(verdict.clock, table.processes),
        transitions=transitions,
        because=tuple([named.reason(reason) for reason in verdict.because]),
        silent=verdict.silent,
        waiting_for=verdict.waiting_for,
        unseen=verdict.unseen,
        time=rfc3339(time),
        sequences=table.sequences,
        left_out={"because": left_out} if left_out else {},
        instance=dict(instance),
        rule=None if rule is None else live_rule(rule),
        trace_id=trace_id,
    )
    return fitted(whole, lambda each: len(verdict_line(each)) + 1)


def _arrow(reference: Reference) -> tuple[str, str]:
    return (reference.source, reference.target)


class _Naming:
    """Names the events of the reasons of one verdict."""

    def __init__(
        self,
        processes: tuple[str, ...],
        because: tuple[Reason, ...],
        traces: Iterable[EventTrace],
    ) -> None:
        self._processes = processes
        self._traces: Mapping[tuple[str, int | None], str] = {
            (process, number): trace.hex() for process, number, trace in traces
        }
        self._gaps: Container[tuple[Reference, VectorClock]] = {
            (reason.reference, reason.clock) for reason in because if reason.result == GAP
        }

    def reason(self, given: Reason) -> LiveReason:
        own, pre = given.reference.process, given.of_reference
        event = self._event(given.reference, given.clock)
        trace_id = self._traces.get((own, event.count), "")
        return LiveReason(
            event=replace(event, trace_id=trace_id) if trace_id else event,
            transition=_arrow(given.reference),
            role=given.role,
            result=given.result,
            relation=given.relation,
            certain=given.certain,
            of=None if given.of is None or pre is None else self._event(pre, given.of),
            of_transition=None if pre is None else _arrow(pre),
            since=None if given.since is None else EventName(own, self._count(own, given.since)),
        )

    def _event(self, reference: Reference, clock: VectorClock) -> EventName:
        count = self._count(reference.process, clock)
        gap = (reference, clock) in self._gaps
        return EventName(reference.process, None if count == NEVER else count, gap)

    def _count(self, process: str, clock: VectorClock) -> int:
        if process == BEGINNING:
            return 0
        return clock[self._processes.index(process)]


def verdict_line(verdict: LiveVerdict) -> str:
    """Write a verdict as one line of ASCII, without a line end."""
    return json.dumps(verdict_as_json(verdict), separators=(",", ":"), allow_nan=False)


def verdict_as_json(verdict: LiveVerdict) -> dict[str, Any]:
    """The verdict as plain values."""
    return {
        "id": verdict.id,
        "verdict": verdict.verdict,
        "provisional": verdict.provisional,
        "system": verdict.system,
        "property": verdict.property,
        "process": verdict.process,
        "count": verdict.count,
        "label": verdict.label,
        "clock": dict(verdict.clock),
        "transitions": [list(transition) for transition in verdict.transitions],
        "because": [_reason(reason) for reason in verdict.because],
        "silent": list(verdict.silent),
        "waiting_for": list(verdict.waiting_for),
        "unseen": verdict.unseen,
        "time": verdict.time,
        **({"sequences": list(verdict.sequences)} if verdict.sequences else {}),
        **({"left_out": dict(verdict.left_out)} if verdict.left_out else {}),
        **({"for": dict(verdict.instance)} if verdict.instance else {}),
        **({"rule": verdict.rule.stated.plain()} if verdict.rule else {}),
        **({"trace_id": verdict.trace_id} if verdict.trace_id else {}),
    }


def _reason(reason: LiveReason) -> dict[str, Any]:
    return {
        "event": _event(reason.event),
        "transition": list(reason.transition),
        "role": reason.role,
        **({} if reason.of is None else {"of": _event(reason.of)}),
        **({} if reason.of_transition is None else {"of_transition": list(reason.of_transition)}),
        "result": reason.result,
        "relation": reason.relation,
        "certain": reason.certain,
        **({} if reason.since is None else {"since": _event(reason.since)}),
    }


def _event(event: EventName) -> dict[str, Any]:
    return {
        "process": event.process,
        **({} if event.count is None else {"count": event.count}),
        **({"gap": True} if event.gap else {}),
        **({"trace_id": event.trace_id} if event.trace_id else {}),
    }


def decode_verdict_untrusted(line: str | bytes) -> LiveVerdict:
    """The verdict in a line; fields that are not known are passed over.

    Raises `MalformedMessage`, and nothing else, for what is no live verdict.
    """
    try:
        verdict = msgspec.convert(with_instance(_DECODER.decode(line)), LiveVerdict)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise MalformedMessage(f"no live verdict: {error}") from None
    check_events(verdict)
    return verdict


def with_instance(plain: object) -> object:
    """The plain values of a verdict whose fields are those of `LiveVerdict`, of which none can be
    called `for`."""
    if not isinstance(plain, dict):
        return plain
    fields = {name: value for name, value in plain.items() if name != "instance"}
    if "for" in fields:
        fields["instance"] = fields.pop("for")
    return fields


def check_events(verdict: LiveVerdict) -> None:
    """Raises `MalformedMessage` where an event has no count, or an impossible one, where its
    sequences have impossible lengths, or where fewer than no entries were left out."""
    named = (
        event
        for reason in verdict.because
        for event in (reason.event, reason.of, reason.since)
        if event is not None
    )
    counts = [0 if event.gap and event.count is None else event.count for event in named]
    if any(count is None or count < 0 for count in (verdict.count, *counts)):
        raise MalformedMessage("no live verdict: `count` of an event should be a number from 0")
    if not possible_lengths(verdict.sequences):
        raise MalformedMessage("no live verdict: `sequences` should be numbers of steps")
    if any(count < 0 for count in verdict.left_out.values()):
        raise MalformedMessage("no live verdict: `left_out` should be numbers from 0")


def rfc3339(seconds: float) -> str:
    """Wall time since 1970 in UTC, with milliseconds: `2026-01-31T12:00:00.250Z`."""
    at = datetime.fromtimestamp(min(max(seconds, 0.0), _LATEST), UTC)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
