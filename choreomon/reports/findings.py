"""Findings for SARIF, from runs, verifications and audits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from choreomon.audit.kinds import Kind, kind_of
from choreomon.audit.occurrences import Occurrences
from choreomon.audit.outcome import AuditVerdict, Order, Overall
from choreomon.audit.outcome import Outcome as AuditOutcome
from choreomon.audit.search import Unseen
from choreomon.audit.summary import INSTANCE, SessionsOutcome
from choreomon.core.binding import in_words
from choreomon.core.message import Label
from choreomon.core.recorded import Place
from choreomon.core.run import Run, RunVerdict
from choreomon.core.stated_rule import StatedRule
from choreomon.core.verdict import VIOLATED
from choreomon.reports.sarif import Finding, RuleId, Step, Thread
from choreomon.verify.outcome import Outcome

if TYPE_CHECKING:
    from choreomon.verify.explanation import Reached


def findings_of_runs(runs: Iterable[Run], place: Place) -> Iterator[Finding]:
    """A finding for each verdict that stands; `place` is where the property is. Equal in different
    runs are those about the same label with the same transitions, of the same instance. Its threads
    are the events that it rests on, of runs whose events were kept."""
    for run in runs:
        formed = {(each.event_index, each.rule): each.events for each in run.formed or ()}
        for verdict in run.verdicts:
            if verdict.verdict == "withdrawn":
                continue
            surely = verdict.verdict == VIOLATED
            by = f"{verdict.monitor} at {verdict.label} (event {verdict.event_index}"
            yield Finding(
                "sequence-formed" if surely else "sequence-possibly-formed",
                f"{_of_rule(verdict.rule)}{'violated' if surely else 'possibly violated'}"
                f"{verdict.instance}: {by}, seed {run.seed})",
                place,
                (
                    verdict.label,
                    *(f"{a} {b}" for a, b in verdict.transitions),
                    *(f"{name}={value}" for name, value in verdict.binding),
                ),
                _threads(run, verdict, formed.get((verdict.event_index, verdict.rule), ())),
                stated=verdict.rule,
            )


def _threads(run: Run, verdict: RunVerdict, sequence: Sequence[int]) -> tuple[Thread, ...]:
    wanted = {verdict.event_index, *sequence}
    wanted |= {reason.event_index for reason in verdict.because}
    steps: dict[str, list[Step]] = {}
    for event in run.kept_events:
        if event.index in wanted:
            step = Step(event.index, f"{event.label}, event {event.index}")
            steps.setdefault(event.process, []).append(step)
    return tuple(Thread(process, tuple(theirs)) for process, theirs in steps.items())


def findings_of_outcomes(outcomes: Iterable[Outcome], place: Place) -> Iterator[Finding]:
    """A finding for each multi-trace that does not fit, or of which that is not known; `place` is
    where the interaction, or the automaton, is. Its threads are how far each log is explained,
    where that was asked for; first the log where one should look first."""
    for outcome in outcomes:
        if outcome.answer is None or outcome.answer.verdict.passes:
            continue
        known = not outcome.answer.verdict.inconclusive
        told = ": ".join(filter(None, (outcome.answer.verdict.value, outcome.answer.reason)))
        if outcome.fault is not None:
            blamed = " and ".join(",".join(one) for one in outcome.fault.locations)
            told += f"; {outcome.fault.kind} of {blamed}"
        explanation = outcome.explanation
        reached = () if explanation is None else explanation.failure or ()
        by_rank = sorted(reached, key=lambda one: one.rank or len(reached) + 1)
        yield Finding(
            "logs-do-not-fit" if known else "logs-not-decided",
            f"{outcome.trace}, mode {outcome.mode}: {told}",
            place,
            (outcome.trace, outcome.mode),
            tuple(_explained(one) for one in by_rank if len(one.component.actions)),
            (Place(outcome.trace, 0),),
        )


def findings_of_audit(
    outcome: AuditOutcome, about: Mapping[Label, StatedRule], place: Place
) -> Iterator[Finding]:
    """A finding for each verdict about an event, one for what is formed by no event of the logs
    alone, and one for each label that occurs nowhere. Its threads are the events of an order that
    forms the property, also those in gaps. `about`: by label the first rule that is about it."""
    for verdict in outcome.verdicts:
        event = verdict.item.event
        assert event is not None
        yield Finding(
            *_audited(verdict.kind == VIOLATED, f"{event.place}: at {verdict.item.label}", verdict),
            place,
            (str(verdict.item.label), event.session),
            _order_threads(verdict.formed),
            (event.place,),
            verdict.rule,
        )
    overall = outcome.overall
    if overall.kind is not None and all(one.kind != overall.kind for one in outcome.verdicts):
        yield Finding(
            *_audited(overall.kind == VIOLATED, "at no one event", overall),
            place,
            ("at no one event",),
            _order_threads(overall.formed),
            stated=overall.rule,
        )
    yield from _not_exercised(outcome.occurrences, about, place)


def findings_of_sessions(
    outcome: SessionsOutcome, about: Mapping[Label, StatedRule], place: Place
) -> Iterator[Finding]:
    """A finding for each kind of verdict in many sessions, with the first one as witness, or for
    each verdict of instances, and
    for each label that occurs nowhere."""
    yield from _of_instances(outcome, place)
    for example in () if outcome.called == INSTANCE else outcome.kinds:
        kind, verdict = example.kind, example.verdict
        event = example.event
        at = "at no one event" if event is None else f"{event.place}"
        names = ", ".join(example.names) + example.dots
        sequence = ", then ".join(step.label for step in kind.steps)
        told = f"{at}: in {example.sessions} {example.called}s ({names})"
        yield Finding(
            *_audited(
                kind.verdict == VIOLATED, f"{told}: {sequence}" if sequence else told, verdict
            ),
            place,
            _same(kind),
            _order_threads(verdict.formed),
            () if event is None else (event.place,),
            verdict.rule,
        )
    yield from _not_exercised(outcome.occurrences, about, place)


def _of_instances(outcome: SessionsOutcome, place: Place) -> Iterator[Finding]:
    """A finding for each verdict of an instance, and one for those that were not kept."""
    for binding, verdict in outcome.each.kept:
        kind = kind_of(verdict)
        event = verdict.item.event if isinstance(verdict, AuditVerdict) else None
        at = "at no one event" if event is None else f"{event.place}"
        sequence = ", then ".join(step.label for step in kind.steps)
        told = f"{at}: for {in_words(binding) or 'all'}"
        yield Finding(
            *_audited(
                kind.verdict == VIOLATED, f"{told}: {sequence}" if sequence else told, verdict
            ),
            place,
            (*_same(kind), in_words(binding)),
            _order_threads(verdict.formed),
            () if event is None else (event.place,),
            verdict.rule,
        )
    for word, many in outcome.each.others:
        rule: RuleId = "sequence-formed" if word == VIOLATED else "sequence-possibly-formed"
        yield Finding(rule, f"{many} more verdicts of instances", place, ("more",))


def _same(kind: Kind) -> tuple[str, ...]:
    return (
        *(f"{step.label}{' unseen' if step.unseen else ''}" for step in kind.steps),
        *kind.instead,
        *(("at no one event",) if kind.at_end else ()),
    )


def _not_exercised(
    occurrences: Occurrences, about: Mapping[Label, StatedRule], place: Place
) -> Iterator[Finding]:
    for each in occurrences.nowhere():
        told = place
        if (rule := about.get(each.label)) is not None:
            told = Place(rule.file or place.file, rule.line or place.line)
        yield Finding("not-exercised", each.sentence(), told, (str(each.label),))


def _audited(surely: bool, where: str, verdict: AuditVerdict | Overall) -> tuple[RuleId, str]:
    rule: RuleId = "sequence-formed" if surely else "sequence-possibly-formed"
    told = f"{_of_rule(verdict.rule)}{'violated' if surely else 'possibly violated'}: {where}"
    if verdict.undecided:
        told += f"; undecided: {verdict.reason}"
    return rule, "; ".join((told, *(f"gap: {gap.reason}" for gap in verdict.gaps)))


def _of_rule(rule: StatedRule | None) -> str:
    """The name of a rule and what it says, before what became of it."""
    if rule is None:
        return ""
    return f"{rule.name}: {rule.description} " if rule.description else f"{rule.name}: "


def _order_threads(order: Order | None) -> tuple[Thread, ...]:
    steps: dict[str, list[Step]] = {}
    for number, each in enumerate(() if order is None else order.events):
        if isinstance(each, Unseen):
            unseen = Step(number, f"{each.label}, in no log: {each.gap.reason}")
            steps.setdefault(each.gap.process, []).append(unseen)
        elif each.event is not None:
            step = Step(number, str(each.label), each.event.place)
            steps.setdefault(each.event.process, []).append(step)
    return tuple(Thread(process, tuple(theirs)) for process, theirs in steps.items())


def _explained(reached: Reached) -> Thread:
    """The last explained action, and the one that is not."""
    component, position, following, allowed, *_ = reached
    steps: list[Step] = []
    if position:
        last = component.actions[position - 1]
        steps.append(Step(position, f"{last} is explained, with all {position} actions up to it"))
    instead = ", ".join(map(str, allowed)) or "nothing"
    if following is not None:
        steps.append(Step(position + 1, f"{following} is not; possible there: {instead}"))
    return Thread(",".join(component.lifelines), tuple(steps))
