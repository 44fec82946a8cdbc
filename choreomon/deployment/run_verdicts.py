"""Live verdicts as verdicts of a run: a monitor names an event by its process and its count there;
in the log of a run it has an index."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from choreomon.core.errors import InternalError
from choreomon.core.live import EventName, LiveReason, LiveVerdict
from choreomon.core.message import BEGINNING
from choreomon.core.run import BEFORE_ALL, RunReason, RunVerdict, in_order
from choreomon.core.stated_rule import RuleStates, StatedRule, rule_of
from choreomon.core.verdict import UNSEEN
from choreomon.deployment.event_records import Timing
from choreomon.deployment.instructions import Said
from choreomon.deployment.links import MICROSECONDS

IndexOf = Callable[[str, int], int]
"""The index of an event, by its process and its count."""


def last_verdicts(
    said: Iterable[Said], index_of: IndexOf, timing: Timing, rules: Sequence[RuleStates] = ()
) -> list[RunVerdict]:
    """The last verdict about each event, and each rule, in the order of events and of `rules`,
    which are those of the property. What is `said` of one comes in the order in which it was."""
    last: dict[tuple[str, int, StatedRule | None], Said] = {}
    for each in said:
        last[each.verdict.process, each.verdict.count, each.verdict.stated()] = each
    verdicts = [
        run_verdict(each.verdict, timing.document_time(each.at * MICROSECONDS), index_of, rules)
        for each in last.values()
    ]
    return in_order(verdicts, rules)


def run_verdict(
    verdict: LiveVerdict, declared_at: int, index_of: IndexOf, rules: Sequence[RuleStates] = ()
) -> RunVerdict:
    """The verdict with the indices of its events, and its rule as `rules` state it: agents are not
    told all that the document says of it. Raises `InternalError` for one that rests on a gap: in a
    run every event is told."""
    if verdict.unseen or verdict.label is None:
        raise InternalError(f"a verdict about a gap: {verdict}")

    def index(event: EventName | None) -> int | None:
        if event is None:
            return None
        if event.gap or event.count is None:
            raise InternalError(f"a verdict that rests on a gap: {verdict}")
        if event.process == BEGINNING:
            return BEFORE_ALL
        return index_of(event.process, event.count)

    def reason(live: LiveReason) -> RunReason:
        at = index(live.event)
        assert at is not None
        if live.result in UNSEEN:
            raise InternalError(f"a verdict that rests on a gap: {verdict}")
        return RunReason(
            event_index=at,
            transition=live.transition,
            role=live.role,
            result=live.result,
            relation=live.relation,
            certain=live.certain,
            of=index(live.of),
            of_transition=live.of_transition,
            since=index(live.since),
        )

    return RunVerdict(
        verdict=verdict.verdict,
        monitor=verdict.process,
        event_index=index_of(verdict.process, verdict.count),
        transitions=verdict.transitions,
        label=verdict.label,
        because=tuple(map(reason, verdict.because)),
        declared_at=declared_at,
        silent=verdict.silent,
        early=verdict.provisional,
        reasons_left_out=verdict.left_out.get("because", 0),
        transitions_left_out=verdict.left_out.get("transitions", 0),
        binding=tuple(sorted(verdict.instance.items())),
        rule=rule_of(rules, verdict.transitions),
    )
