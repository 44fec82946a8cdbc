"""Verdicts in sentences: what a monitor declared, and which records it rests on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, Protocol

from choreomon.core.run import RunEvent, RunReason, RunVerdict
from choreomon.core.verdict import FRM, GAP, POSSIBLY_VIOLATED, VIOLATED, WITHDRAWN
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.render.forbidden_sequences import completed_sequences
from choreomon.render.wording import DECLARATION, counted, event_in_words, milliseconds

MAX_RECORDS: Final = 5
"""Of more records of pre-transitions the number of the others is told. Those of which the same is
to be said count as one."""
MAX_EVENTS: Final = 4
"""Of more events of which the same is to be said, the number of the others is told."""


class ExplanationText(NamedTuple):
    """`headline` says what was declared, `sentences` why, one thought each."""

    headline: str
    sentences: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join((self.headline, *self.sentences))


class EventNames(Protocol):
    """What the events of a verdict are called, by their indices."""

    def judged(self, verdict: RunVerdict) -> str:
        """The event that the verdict is about, with all that is known of it."""

    def short(self, index: int) -> str:
        """As a word among others."""

    def full(self, index: int) -> str:
        """With what is known of it."""

    def span(self, first: int, last: int) -> str:
        """All of one process from one to another one."""


def explanation(
    verdict: RunVerdict,
    events: Sequence[RunEvent] = (),
    automaton: SequenceAutomaton | None = None,
) -> ExplanationText:
    """The verdict and its reasons. `events` are those of the run where they were kept;
    events that are not among them are called by their index alone. Of several sequences that the
    `automaton` forbids it is said which one is meant."""
    wanted = {verdict.event_index}
    wanted |= {
        index
        for r in verdict.because
        for index in (r.event_index, r.of, r.since)
        if index is not None
    }
    known = {event.index: event for event in events if event.index in wanted}
    return explained(verdict, _Numbered(known), automaton)


def explained(
    verdict: RunVerdict, names: EventNames, automaton: SequenceAutomaton | None = None
) -> ExplanationText:
    """The same where events have other names than their numbers."""
    return ExplanationText(
        f"{verdict.monitor} {DECLARATION[verdict.verdict]} at {names.judged(verdict)}.",
        (*_why(verdict, names, automaton), *_conclusion(verdict)),
    )


class _Numbered:
    """Events of a run, some of them kept: called by their index."""

    def __init__(self, known: Mapping[int, RunEvent]) -> None:
        self._known = known

    def judged(self, verdict: RunVerdict) -> str:
        event = self._known.get(verdict.event_index)
        if event is None:
            return f"event {verdict.event_index} ({verdict.label})"
        return f"event {event.index} ({event_in_words(event)}, {milliseconds(event.time)})"

    def short(self, index: int) -> str:
        return f"event {index}"

    def full(self, index: int) -> str:
        event = self._known.get(index)
        return f"event {index}" if event is None else f"event {index} ({event_in_words(event)})"

    def span(self, first: int, last: int) -> str:
        return f"events {first} to {last}"


def _where(reason: RunReason, names: EventNames) -> str:
    if reason.result == GAP:
        return f"in {names.full(reason.event_index)}"
    at = f"at {names.full(reason.event_index)}"
    if reason.since is None:
        return at
    span = names.span(reason.since, reason.event_index)
    return f"{at}, in a record that stands for {span}"


def _arrow(transition: tuple[str, str]) -> str:
    return f"{transition[0]} -> {transition[1]}"


def _listed(transitions: Sequence[tuple[str, str]], joint: str = "and") -> str:
    return f" {joint} ".join(map(_arrow, transitions))


def _why(verdict: RunVerdict, names: EventNames, automaton: SequenceAutomaton | None) -> list[str]:
    sentences = [_fired(verdict)]
    still = verdict.verdict != WITHDRAWN
    if still and automaton is not None and (which := completed_sequences(verdict, automaton)):
        sentences.append(which)
    starting = _starting(verdict)
    if starting and len(verdict.transitions) == 1:
        sentences.append("It leaves an initial state, so nothing had to happen before it.")
    elif starting:
        leave = "leaves" if len(starting) == 1 else "leave"
        sentences.append(
            f"For {_listed(starting)}, which {leave} an initial state, nothing had to happen "
            "before."
        )
    grouped = _grouped(verdict.because)
    # What is sure comes before what only may be.
    pres = sorted(
        grouped, key=lambda pre: (not pre.certain, pre.result != FRM, pre.relation != "before")
    )
    together = _alike(pres, verdict, lambda pre: bool(grouped[pre]))
    for alike in together[:MAX_RECORDS]:
        sentences += _pre(alike, grouped[alike[0]], verdict, names)
    left = sum(map(len, together[MAX_RECORDS:]))
    if left:
        are = "is" if left == 1 else "are"
        sentences.append(f"{counted(left, 'more record')} of pre-transitions {are} not told here.")
    return sentences + _taken_together(verdict, pres)


def _taken_together(verdict: RunVerdict, pres: Sequence[RunReason]) -> list[str]:
    """What the orders of the events say, where that is not what the records say one by one."""
    certain = any(pre.certain for pre in pres)
    if verdict.verdict == VIOLATED and pres and not certain and not _starting(verdict):
        reached = {pre.transition[1] for pre in pres}
        if not all(source in reached for source, _ in verdict.transitions):
            return []  # an answer is missing, and it may be one that starts
        if len(pres) == 1:
            return [
                "That is not certain by itself, but in every order that is consistent with the "
                "clocks it led there."
            ]
        return [
            "None of these is certain by itself, but in every order that is consistent with the "
            "clocks one of them led there."
        ]
    if verdict.verdict == WITHDRAWN:
        gone = {(vio.of, vio.of_transition) for vio in verdict.because if vio.certain}
        if all((pre.event_index, pre.transition) in gone for pre in pres):
            return []
        which = "it" if len(pres) == 1 else "any of these"
        return [f"But in no order that is consistent with the clocks did {which} lead there."]
    waits = verdict.silent or verdict.early
    if verdict.verdict == POSSIBLY_VIOLATED and certain and not waits:
        return ["By that alone it would be certain, but there was more than its monitor weighs."]
    return []


def _fired(verdict: RunVerdict) -> str:
    if verdict.verdict == WITHDRAWN:
        return "It had said that the sequence was possibly formed there."
    fired = verdict.transitions
    into = "into a final state" if len(fired) == 1 else "into final states"
    if verdict.verdict == POSSIBLY_VIOLATED:
        return f"There {_listed(fired)} possibly fired, {into}."
    reached = {r.transition[1] for r in verdict.because if r.role == "pre" and r.certain}
    starting = _starting(verdict)
    sure = [t for t in fired if t[0] in reached or t in starting]
    possible = [t for t in fired if t not in sure]
    if not sure:
        return f"There {_listed(fired, 'or')} surely fired, into a final state."
    if possible:
        return f"There {_listed(sure)} surely fired, and {_listed(possible)} possibly, {into}."
    return f"There {_listed(fired)} surely fired, {into}."


def _starting(verdict: RunVerdict) -> list[tuple[str, str]]:
    """The transitions that fired without a pre-transition. Where answers were missing, one
    without a record may also be one of which nothing is known yet."""
    if verdict.verdict != VIOLATED or (verdict.silent and len(verdict.transitions) > 1):
        return []
    reached = {reason.transition[1] for reason in verdict.because if reason.role == "pre"}
    return [transition for transition in verdict.transitions if transition[0] not in reached]


def _grouped(because: Sequence[RunReason]) -> dict[RunReason, list[RunReason]]:
    """Each pre record with the cancellations that concern it. They stand in the list once,
    also where final transitions rest on differing answers about the same record; one that
    was certain had none in question."""
    concerning: dict[tuple[int | None, tuple[str, str] | None], list[RunReason]] = {}
    for reason in because:
        if reason.role == "vio":
            concerning.setdefault((reason.of, reason.of_transition), []).append(reason)
    return {
        pre: [] if pre.certain else concerning.get((pre.event_index, pre.transition), [])
        for pre in because
        if pre.role == "pre"
    }


def _by_event(vios: Sequence[RunReason]) -> list[list[RunReason]]:
    """The cancellations of one pre record, those together that one event makes by several
    transitions, and of which all else is the same."""
    together: dict[RunReason, list[RunReason]] = {}
    for vio in vios:
        together.setdefault(replace(vio, transition=("", "")), []).append(vio)
    return [*together.values()]


def _alike(
    reasons: Sequence[RunReason], verdict: RunVerdict, alone: Callable[[RunReason], bool]
) -> list[list[RunReason]]:
    """Those together of which all but the event is the same, and of which the same is to be said;
    not those that are `alone`."""
    together: dict[object, list[RunReason]] = {}
    for reason in reasons:
        single = (
            reason.since is not None
            or reason.result == GAP
            or reason.event_index == verdict.event_index
            or alone(reason)
        )
        key = reason if single else replace(reason, event_index=-1)
        together.setdefault(key, []).append(reason)
    return [*together.values()]


def _at(reasons: Sequence[RunReason], names: EventNames) -> str:
    if len(reasons) == 1:
        return _where(reasons[0], names)
    full = [names.full(reason.event_index) for reason in reasons[:MAX_EVENTS]]
    left = len(reasons) - len(full)
    last = counted(left, "more event") if left else full.pop()
    return f"at {', '.join(full)} and {last}"


def _pre(
    pres: Sequence[RunReason],
    vios: Sequence[RunReason],
    verdict: RunVerdict,
    names: EventNames,
) -> list[str]:
    """Pre records of which all but the event is the same, and what may have cancelled them."""
    pre, several = pres[0], len(pres) > 1
    needed_by = [t for t in verdict.transitions if t[0] == pre.transition[1]]
    if len(verdict.transitions) > 1:
        name = f"For {_listed(needed_by)}, the pre-transition"
    else:
        name = "Its pre-transition"
    surely = "surely" if pre.result == FRM else "possibly"
    judged = names.short(verdict.event_index)
    if pre.event_index == verdict.event_index:
        order = "which is the judged event itself"
    elif pre.relation == "before":
        order = f"before {judged}"
    else:
        order = f"which may have come before or after {judged}"
    sentences = [f"{name} {_arrow(pre.transition)} {surely} fired {_at(pres, names)}, {order}."]
    if pre.result == GAP:
        sentences.append("What happened there its monitor was not told.")
    elif pre.result != FRM:
        there = "these events" if several else names.short(pre.event_index)
        sentences.append(
            f"Whether it fired there is open itself: what led to {there}, or whether that was "
            "cancelled before, is not sure."
        )
    by_event = {of_event[0]: of_event for of_event in _by_event(vios)}
    # One event that cancels by several transitions differs from one that does by one.
    for alike in _alike(
        [*by_event],
        verdict,
        lambda vio: len(by_event[vio]) > 1 or vio.event_index == pre.event_index,
    ):
        transitions = [vio.transition for vio in by_event[alike[0]]]
        sentences.append(_vio(alike, transitions, pre, verdict, names))
    if not vios and pre.result == FRM:
        which = "them" if several else "it"
        known = "known" if verdict.silent or verdict.early else "in question"
        sentences.append(f"No cancellation of {which} is {known}.")
    return sentences


def _vio(
    vios: Sequence[RunReason],
    transitions: Sequence[tuple[str, str]],
    pre: RunReason,
    verdict: RunVerdict,
    names: EventNames,
) -> str:
    """Cancellations of one pre record of which all but the event is the same."""
    vio = vios[0]
    what = f"by {_listed(transitions)} {_at(vios, names)}"
    if vio.certain:
        return f"That was certainly cancelled {what}."
    if vio.result == GAP:
        return f"That may have been cancelled {what}: what happened there its monitor was not told."
    event = names.short(vio.event_index)
    which = event if vio.since is None and len(vios) == 1 else "these"
    doubts = []
    if vio.event_index == verdict.event_index:
        doubts.append(f"{event} is the judged event itself")
    elif vio.relation == "concurrent":
        judged = names.short(verdict.event_index)
        doubts.append(f"{which} may have come before or after {judged}")
    if vio.result != FRM:
        doubts.append(f"it is not sure that {_listed(transitions, 'or')} fired")
    if not doubts:
        # Merged ones that are before the judged event count as their last one.
        which = event if len(vios) == 1 else "these"
        doubts.append(
            f"{which} is the same event"
            if vio.event_index == pre.event_index
            else f"{which} may have come before or after {names.short(pre.event_index)}"
        )
    return f"That may have been cancelled {what}: {', and '.join(doubts)}."


def _conclusion(verdict: RunVerdict) -> list[str]:
    sentences = []
    if verdict.silent:
        several = len(verdict.silent) > 1
        sentences.append(
            f"The monitor{'s' if several else ''} of {', '.join(verdict.silent)} had not "
            "answered by then."
        )
    elif verdict.early:
        sentences.append("An earlier event of its own was not decided by then.")
    if verdict.verdict == VIOLATED:
        sentences.append("So the forbidden sequence was formed, whatever the unknown orderings.")
    elif verdict.verdict == WITHDRAWN:
        sentences.append("Later answers showed that the sequence was not formed there.")
    else:
        sentences.append("So it may have been formed: what the monitors know leaves that open.")
    return sentences
