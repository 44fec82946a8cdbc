"""Explanations of verdicts in sentences: what a monitor declared, and which records it rests on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from choreomon.core.run import BEFORE_ALL, MonitorsMessage, RunEvent, RunReason, RunVerdict
from choreomon.core.slot_ranges import with_ranges
from choreomon.core.verdict import (
    FORGOTTEN,
    FRM,
    GAP,
    POSSIBLY_VIOLATED,
    UNSEEN,
    VIOLATED,
    WITHDRAWN,
)
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.sentences.event_names import EventNames, NumberedEvents
from choreomon.sentences.forbidden_sequences import completed_sequences
from choreomon.sentences.formed_sequences import certain, starting
from choreomon.sentences.transition_names import TransitionNames, arrow, beginning
from choreomon.sentences.wording import DECLARATION, counted

MAX_RECORDS: Final = 5
"""The most records of what came before that are told; of more, only the number. Records about which
the same is said count as one."""
MAX_EVENTS: Final = 4
"""The most events named together if the same is said about all; of more, only the number."""


class ExplanationText(NamedTuple):
    """`headline` says what was declared, `sentences` why, one thought each."""

    headline: str
    sentences: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join((self.headline, *self.sentences))


def explanation(
    verdict: RunVerdict,
    events: Sequence[RunEvent] = (),
    automaton: SequenceAutomaton | None = None,
    *,
    verbose: bool = False,
    messages: Sequence[MonitorsMessage] = (),
    processes: Sequence[str] = (),
) -> ExplanationText:
    """The verdict and its reasons. `events` are the kept ones of the run, and `messages` those
    between monitors; other events are named by their index alone. If the `automaton` was written as
    sequences, its transitions are called steps of these, and with `verbose` their states are named,
    too. If it forbids several sequences, the text says which one is meant. `processes` are those of
    the run, with all slots of roles."""
    sequences = () if automaton is None else automaton.sequences
    called = TransitionNames(sequences, verbose=verbose, rule=rule_name(verdict))
    which: tuple[str, ...] = ()
    if automaton is not None and verdict.verdict != WITHDRAWN and verdict.rule is None:
        which = completed_sequences(verdict, automaton)
    return explained(verdict, NumberedEvents(events, messages), called, which, processes)


def explained(
    verdict: RunVerdict,
    names: EventNames,
    called: TransitionNames,
    which: Sequence[str] = (),
    processes: Sequence[str] = (),
) -> ExplanationText:
    """The explanation with other names of events than their numbers. `called` names the
    transitions; `which` are sentences that say which of several sequences are meant. A verdict
    about a rule begins with its description."""
    rule = verdict.rule
    about = "" if rule is None else f": {rule.name}"
    return ExplanationText(
        f"{verdict.monitor} {DECLARATION[verdict.verdict]}{verdict.instance} at "
        f"{names.judged(verdict)}{about}.",
        (
            *([rule.description] if rule is not None and rule.description else []),
            *_Sentences(verdict, names, called).why(which),
            *_conclusion(verdict, called, processes),
            *filter(None, (names.times(verdict),)),
        ),
    )


def rule_name(verdict: RunVerdict) -> str:
    """The name of the rule that a verdict is about; empty if it is about none."""
    return "" if verdict.rule is None else verdict.rule.name


class _Sentences:
    """Sentences on why a verdict was declared, one thought each."""

    def __init__(self, verdict: RunVerdict, names: EventNames, called: TransitionNames) -> None:
        self._verdict = verdict
        self._names = names
        self._called = called

    def why(self, which: Sequence[str]) -> list[str]:
        verdict = self._verdict
        sentences = [*self._happened(), *which, *self._beginnings()]
        grouped = _grouped(verdict.because)
        # Certain things come before possible ones.
        pres = sorted(
            grouped, key=lambda pre: (not pre.certain, pre.result != FRM, pre.relation != "before")
        )
        together = _alike(pres, verdict, lambda pre: bool(grouped[pre]))
        for alike in together[:MAX_RECORDS]:
            sentences += self._pre(alike, grouped[alike[0]])
        # Knowledge of one event may differ: by itself, and merged with others.
        listed, others = (
            {(pre.event_index, pre.transition) for alike in some for pre in alike}
            for some in (together[:MAX_RECORDS], together[MAX_RECORDS:])
        )
        left = len(others - listed)
        if left:
            before = f"may have been the {self._called.kind} before"
            are = "is" if left == 1 else "are"
            sentences.append(f"{counted(left, 'more event')} that {before} {are} not listed.")
        left = verdict.reasons_left_out
        if left:
            are = "is" if left == 1 else "are"
            sentences.append(f"{counted(left, 'more record')} that this rests on {are} left out.")
        return sentences + _taken_together(verdict, pres)

    def _happened(self) -> list[str]:
        """Sentences that a sequence came to its end here, or may have."""
        verdict, called = self._verdict, self._called
        if verdict.verdict == WITHDRAWN:
            return ["It had said that the sequence was possibly formed here."]
        ended = verdict.transitions
        name = beginning(called.listed(ended))
        left = verdict.transitions_left_out
        more = counted(left, f"more {called.kind}")
        if verdict.verdict == POSSIBLY_VIOLATED:
            name += f" and {more}" if left else ""
            single = len(ended) == 1 and not left
            would = "it would complete the" if single else "each would complete its"
            return [f"{name} may have {called.happened} here; {would} sequence."]
        known = certain(verdict)
        sure = known or [*ended]
        possible = [t for t in ended if t not in sure]
        name = beginning(called.listed(sure, "and" if known else "or"))
        name += f" or one of {more}" if left and not known else ""
        sentences = [f"{name} certainly {called.happened} here; {_completes(known)}."]
        if possible:
            too = f"may have {called.happened} here, too."
            sentences.append(f"{beginning(called.listed(possible))} {too}")
        if left and known:
            sentences.append(f"{beginning(more)} may have {called.happened} here, too.")
        return sentences

    def _beginnings(self) -> list[str]:
        """Sentences on transitions that need nothing before them."""
        begin = starting(self._verdict)
        if not begin:
            return []
        if all(map(self._called.needs_beginning, begin)):
            return ["Nothing that allows it had happened before, since the beginning."]
        if len(self._verdict.transitions) == 1:
            first = (
                "is the first step of its sequence"
                if self._called.by_steps
                else "leaves an initial state"
            )
            return [f"It {first}, so nothing had to happen before it."]
        name = beginning(self._called.listed(begin))
        needs = "needs" if len(begin) == 1 else "need"
        return [f"{name} {needs} nothing before it."]

    def _pre(self, pres: Sequence[RunReason], vios: Sequence[RunReason]) -> list[str]:
        """Sentences on pre records that differ only in the event, and on what may have cancelled
        them."""
        verdict, names, called = self._verdict, self._names, self._called
        pre, several = pres[0], len(pres) > 1
        needed_by = [t for t in verdict.transitions if t[0] == pre.transition[1]]
        of = called.listed(needed_by) if len(verdict.transitions) > 1 else "it"
        did = called.happened if pre.result == FRM else f"may have {called.happened}"
        judged = names.short(verdict.event_index)
        if pre.event_index == verdict.event_index:
            order = "which is the event of the verdict itself"
        elif pre.relation == "before":
            order = f"before {judged}"
        else:
            order = f"which may have come before or after {judged}"
        name = called.before(pre.transition, of)
        sentences = [f"The {name} {did} {_at(pres, names)}, {order}."]
        if pre.event_index == BEFORE_ALL:
            sentences = [f"The {name} {did} before everything else."]
        elif (
            pre.relation == "before"
            and not several
            and pre.since is None
            and pre.result not in UNSEEN
        ):
            sentences += filter(None, [names.order(pre.event_index, verdict.event_index)])
        if pre.result == GAP:
            sentences.append("Its monitor was not told what happened there.")
        elif pre.result == FORGOTTEN:
            sentences.append("Its monitor has forgotten older instances; this may be one of them.")
        elif pre.result != FRM:
            which = "these count" if several else f"{names.short(pre.event_index)} counts"
            sentences.append(
                f"Whether {which} as that {called.kind} is not certain: it depends on what "
                "happened before."
            )
        by_event = {of_event[0]: of_event for of_event in _by_event(vios)}
        # An event that cancels by several transitions differs from one that cancels by one.
        for alike in _alike(
            [*by_event],
            verdict,
            lambda vio: len(by_event[vio]) > 1 or vio.event_index == pre.event_index,
        ):
            transitions = [vio.transition for vio in by_event[alike[0]]]
            sentences.append(self._vio(alike, transitions, pre))
        if not vios and pre.result == FRM:
            which = f"these {called.kind}s" if several else f"this {called.kind}"
            # Whoever would know may not have answered; for an event that was given up, nobody is
            # named if only an earlier one of its own process was undecided.
            doubted = pre.relation == "before" and not pre.certain
            waiting = verdict.silent or verdict.early or doubted
            nothing = "Nothing is known to have cancelled" if waiting else "Nothing cancelled"
            sentences.append(f"{nothing} {which}.")
        return sentences

    def _vio(
        self,
        vios: Sequence[RunReason],
        transitions: Sequence[tuple[str, str]],
        pre: RunReason,
    ) -> str:
        """A sentence on cancellations of one pre record that differ only in the event."""
        verdict, names, vio = self._verdict, self._names, vios[0]
        by = self._called.cancelling(transitions)
        if vio.certain:
            # After that it is gone. What was cancelled before is not cancelled again, and not
            # everything that may have done it is among the reasons.
            at = _at(vios, names, "or")
            return f"This {self._called.kind} was certainly cancelled {by}{at}, or before."
        maybe = f"This {self._called.kind} may have been cancelled {by}{_at(vios, names)}"
        if vio.result == GAP:
            return f"{maybe}: its monitor was not told what happened there."
        if vio.result == FORGOTTEN:
            return f"{maybe}: its monitor has forgotten older instances; this may be one of them."
        event = names.short(vio.event_index)
        which = event if vio.since is None and len(vios) == 1 else "these"
        doubts = []
        if vio.event_index == verdict.event_index:
            doubts.append(f"{event} is the event of the verdict itself")
        elif vio.relation == "concurrent":
            judged = names.short(verdict.event_index)
            doubts.append(f"{which} may have come before or after {judged}")
        if vio.result != FRM:
            doubts.append(
                "it is not certain that anything was cancelled there"
                if self._called.by_steps
                else f"it is not certain that {' or '.join(map(arrow, transitions))} fired"
            )
        if not doubts:
            # Merged events before the judged one count as their last one.
            which = event if len(vios) == 1 else "these"
            doubts.append(
                f"{which} is the same event"
                if vio.event_index == pre.event_index
                else f"{which} may have come before or after {names.short(pre.event_index)}"
            )
        return f"{maybe}: {', and '.join(doubts)}."


def _where(reason: RunReason, names: EventNames) -> str:
    if reason.result == GAP:
        return f"in {names.full(reason.event_index)}"
    if reason.result == FORGOTTEN:
        return f"up to {names.full(reason.event_index)}"
    at = f"at {names.full(reason.event_index)}"
    if reason.since is None:
        return at
    span = names.span(reason.since, reason.event_index)
    return f"{at}, remembered as one with the others of {span}"


def _taken_together(verdict: RunVerdict, pres: Sequence[RunReason]) -> list[str]:
    """Sentences on what the orders of the events show, if the records one by one do not show it."""
    sure = any(pre.certain for pre in pres)
    if verdict.verdict == VIOLATED and pres and not sure and not starting(verdict):
        reached = {pre.transition[1] for pre in pres}
        if not all(source in reached for source, _ in verdict.transitions):
            return []  # an answer is missing, and it may be one that starts
        if verdict.reasons_left_out:  # of which none is certain: such ones are kept
            one = "one of them, or of those that are left out,"
            return [f"None is certain by itself, but in every possible order {one} led here."]
        if len(pres) == 1:
            return ["By itself that is not certain, but in every possible order it led here."]
        return ["None of these is certain by itself, but in every possible order one led here."]
    if verdict.verdict == WITHDRAWN:
        gone = {(vio.of, vio.of_transition) for vio in verdict.because if vio.certain}
        if all((pre.event_index, pre.transition) in gone for pre in pres):
            return []
        which = "it" if len(pres) == 1 and not verdict.reasons_left_out else "any of these"
        return [f"But in no possible order did {which} lead here."]
    waits = verdict.silent or verdict.early
    if verdict.verdict == POSSIBLY_VIOLATED and sure and not waits:
        return [
            "That alone would make it certain, but its monitor has reached the limit of what it "
            "compares."
        ]
    return []


def _completes(known: Sequence[tuple[str, str]]) -> str:
    return "each completes its sequence" if len(known) > 1 else "it completes the sequence"


def _grouped(because: Sequence[RunReason]) -> dict[RunReason, list[RunReason]]:
    """Group cancellations by the pre record that they concern. Each is listed once, even if final
    transitions rest on differing answers about the same record; a certain record had none in
    question."""
    concerning: dict[tuple[int | None, tuple[str, str] | None], list[RunReason]] = {}
    because = [  # an unmerged record is that of a single event
        replace(each, since=None)
        if each.since == each.event_index and each.result not in UNSEEN
        else each
        for each in because
    ]
    for reason in because:
        if reason.role == "vio":
            concerning.setdefault((reason.of, reason.of_transition), []).append(reason)
    return {
        pre: [] if pre.certain else concerning.get((pre.event_index, pre.transition), [])
        for pre in because
        if pre.role == "pre"
    }


def _by_event(vios: Sequence[RunReason]) -> list[list[RunReason]]:
    """Group the cancellations of one pre record that one event makes by several transitions, and
    that are equal otherwise."""
    together: dict[RunReason, list[RunReason]] = {}
    for vio in vios:
        together.setdefault(replace(vio, transition=("", "")), []).append(vio)
    return [*together.values()]


def _alike(
    reasons: Sequence[RunReason], verdict: RunVerdict, alone: Callable[[RunReason], bool]
) -> list[list[RunReason]]:
    """Group reasons that differ only in the event, and about which the same is to be said; not
    those that are `alone`."""
    together: dict[object, list[RunReason]] = {}
    for reason in reasons:
        single = (
            reason.since is not None
            or reason.result in UNSEEN
            or reason.event_index in (BEFORE_ALL, verdict.event_index)
            or alone(reason)
        )
        key: object = reason if single else (replace(reason, event_index=-1), "and others")
        together.setdefault(key, []).append(reason)
    return [*together.values()]


def _at(reasons: Sequence[RunReason], names: EventNames, joint: str = "and") -> str:
    if len(reasons) == 1:
        return _where(reasons[0], names)
    full = [names.full(reason.event_index) for reason in reasons[:MAX_EVENTS]]
    left = len(reasons) - len(full)
    last = counted(left, "more event") if left else full.pop()
    return f"at {', '.join(full)} {joint} {last}"


def _conclusion(
    verdict: RunVerdict, called: TransitionNames, processes: Sequence[str]
) -> list[str]:
    sentences = []
    if verdict.silent:
        monitors = "monitors" if len(verdict.silent) > 1 else "monitor"
        who = ", ".join(with_ranges(verdict.silent, processes))
        sentences.append(f"The {monitors} of {who} had not answered by then.")
    elif verdict.early:
        sentences.append("An earlier event of the same process was not decided by then.")
    if verdict.verdict == VIOLATED:
        formed = called.sequences(certain(verdict) or verdict.transitions)
        if verdict.transitions_left_out and not certain(verdict):
            formed = "a forbidden sequence"
        sentences.append(f"In every possible order {formed} was {called.formed}.")
    elif verdict.verdict == WITHDRAWN:
        sentences.append("Later answers showed that the sequence was not formed here.")
    else:
        sentences.append(
            f"So {called.sequences(verdict.transitions)} may have been {called.formed}: what the "
            "monitors know leaves that open."
        )
    return sentences
