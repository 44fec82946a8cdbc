"""Verdicts in sentences: what a monitor declared, and which records it rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from choreomon.core.run import RunEvent, RunReason, RunVerdict
from choreomon.core.verdict import FRM, POSSIBLY_VIOLATED, VIOLATED, WITHDRAWN
from choreomon.render.wording import DECLARATION, event_in_words, milliseconds


class Explanation(NamedTuple):
    """`headline` says what was declared, `sentences` why, one thought each."""

    headline: str
    sentences: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join((self.headline, *self.sentences))


def explanation(verdict: RunVerdict, events: Sequence[RunEvent] = ()) -> Explanation:
    """The verdict and its reasons. `events` are those of the run where they were kept;
    events that are not among them are called by their index alone."""
    wanted = {verdict.event_index}
    wanted |= {index for r in verdict.because for index in (r.event_index, r.of, r.since)
               if index is not None}
    known = {event.index: event for event in events if event.index in wanted}
    return Explanation(
        f"{verdict.monitor} {DECLARATION[verdict.verdict]} at "
        f"{_judged(verdict, known)}.",
        (*_why(verdict, known), *_conclusion(verdict)),
    )


def _judged(verdict: RunVerdict, known: Mapping[int, RunEvent]) -> str:
    event = known.get(verdict.event_index)
    if event is None:
        return f"event {verdict.event_index} ({verdict.label})"
    return f"event {event.index} ({event_in_words(event)}, {milliseconds(event.time)})"


def _event(index: int, known: Mapping[int, RunEvent]) -> str:
    event = known.get(index)
    return f"event {index}" if event is None else f"event {index} ({event_in_words(event)})"


def _where(reason: RunReason, known: Mapping[int, RunEvent]) -> str:
    if reason.since is None or reason.since == reason.event_index:
        return f"at {_event(reason.event_index, known)}"
    return f"at events between {reason.since} and {_event(reason.event_index, known)}"


def _arrow(transition: tuple[str, str]) -> str:
    return f"{transition[0]} -> {transition[1]}"


def _why(verdict: RunVerdict, known: Mapping[int, RunEvent]) -> list[str]:
    fired = " and ".join(_arrow(transition) for transition in verdict.transitions)
    sentences = []
    if verdict.verdict == VIOLATED:
        sentences.append(f"There {fired} surely fired, into a final state.")
    elif verdict.verdict == POSSIBLY_VIOLATED:
        sentences.append(f"There {fired} possibly fired, into a final state.")
    else:
        sentences.append("It had said that the sequence was possibly formed there.")
    pres = [reason for reason in verdict.because if reason.role == "pre"]
    if not pres and verdict.verdict == VIOLATED:
        sentences.append("It leaves an initial state, so nothing had to happen before it.")
    for pre in pres:
        sentences.append(_pre(pre, verdict, known))
        cancellations = [
            reason for reason in verdict.because
            if reason.role == "vio" and reason.of == pre.event_index
        ]
        sentences += [_vio(vio, pre, verdict, known) for vio in cancellations]
        if not cancellations:
            sentences.append("No cancellation of it is in question.")
    return sentences


def _pre(pre: RunReason, verdict: RunVerdict, known: Mapping[int, RunEvent]) -> str:
    name = "Its pre-transition"
    if len(verdict.transitions) > 1:
        needed_by = [_arrow(t) for t in verdict.transitions if t[0] == pre.transition[1]]
        name = f"For {' and '.join(needed_by)}, the pre-transition"
    surely = "surely" if pre.result == FRM else "possibly"
    order = (
        f"before event {verdict.event_index}"
        if pre.relation == "before"
        else f"which may have come before or after event {verdict.event_index}"
    )
    return f"{name} {_arrow(pre.transition)} {surely} fired {_where(pre, known)}, {order}."


def _vio(
    vio: RunReason, pre: RunReason, verdict: RunVerdict, known: Mapping[int, RunEvent]
) -> str:
    what = f"by {_arrow(vio.transition)} {_where(vio, known)}"
    if vio.certain:
        return f"That was certainly cancelled {what}."
    doubts = []
    if vio.relation == "concurrent":
        doubts.append(
            f"event {vio.event_index} may have come before or after event {verdict.event_index}"
        )
    if vio.result != FRM:
        doubts.append(f"it is not sure that {_arrow(vio.transition)} fired")
    if not doubts:
        doubts.append(
            f"event {vio.event_index} may have come before or after event {pre.event_index}"
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
    if verdict.verdict == VIOLATED:
        sentences.append("So the forbidden sequence was formed, whatever the unknown orderings.")
    elif verdict.verdict == WITHDRAWN:
        sentences.append("Later answers showed that it was not.")
    else:
        sentences.append("So it may have been formed: what the monitors know leaves that open.")
    return sentences
