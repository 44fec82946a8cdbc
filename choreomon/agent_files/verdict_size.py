"""Largest size of the line of a live verdict, whatever it rests on.

What a verdict names grows with the processes, their names, the sequences of the property and what
was heard. Above `MOST_BYTES` it lacks entries, first those that people miss least, and says in
`left_out` how many of which field. What is left is true by itself: of the reasons the decisive ones
(`choreomon.core.decisive_reasons`), of the transitions first those that certainly fired, and no
reason is about a transition that was left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from choreomon.core.decisive_reasons import MOST_REASONS, Weight, decisive
from choreomon.core.live import LiveReason, LiveRule, LiveVerdict
from choreomon.core.verdict import VIOLATED

MOST_BYTES: Final = 16 * 1024
"""Most bytes of the line of a verdict, its end included."""
FEW: Final = 8
"""Entries that are left of what is too long."""
_TITLE: Final = 200
"""Characters that are left of a title that is too long."""
_LEAST_TITLE: Final = 20
"""Characters of a title that are kept if nothing else helps."""


def fitted(verdict: LiveVerdict, size: Callable[[LiveVerdict], int]) -> LiveVerdict:
    """The verdict, with entries left out where its line, whose bytes `size` gives, is longer than
    `MOST_BYTES`. The names in it are expected to be names (`choreomon.core.labels`)."""
    for cut in _CUTS:
        if size(verdict) <= MOST_BYTES:
            break
        verdict = cut(verdict)
    return verdict


def _left_out(verdict: LiveVerdict, field: str, count: int) -> dict[str, int]:
    if not count:
        return dict(verdict.left_out)
    return {**verdict.left_out, field: verdict.left_out.get(field, 0) + count}


def _with_clock_of_those_named(verdict: LiveVerdict) -> LiveVerdict:
    """The entries of the own process, and of those that its reasons name."""
    named = {verdict.process, *(reason.event.process for reason in verdict.because)}
    clock = {process: count for process, count in verdict.clock.items() if process in named}
    left_out = _left_out(verdict, "clock", len(verdict.clock) - len(clock))
    return replace(verdict, clock=clock, left_out=left_out)


def _without_sequences(verdict: LiveVerdict) -> LiveVerdict:
    """The reason with its steps called transitions."""
    left_out = _left_out(verdict, "sequences", len(verdict.sequences))
    return replace(verdict, sequences=(), left_out=left_out)


def _with_few_waited_for(verdict: LiveVerdict) -> LiveVerdict:
    left_out = _left_out(verdict, "waiting_for", len(verdict.waiting_for[FEW:]))
    return replace(verdict, waiting_for=verdict.waiting_for[:FEW], left_out=left_out)


def _with_few_silent(verdict: LiveVerdict) -> LiveVerdict:
    left_out = _left_out(verdict, "silent", len(verdict.silent[FEW:]))
    return replace(verdict, silent=verdict.silent[:FEW], left_out=left_out)


def _with_few_transitions(verdict: LiveVerdict) -> LiveVerdict:
    pres = [reason for reason in verdict.because if reason.role == "pre"]
    reached = {reason.transition[1] for reason in pres}
    surely = {reason.transition[1] for reason in pres if reason.certain}
    whole = verdict.verdict == VIOLATED and "because" not in verdict.left_out

    def doubt(transition: tuple[str, str]) -> int:
        source, _ = transition
        needs_nothing = whole and source not in reached
        return 0 if source in surely or needs_nothing else 1 if source in reached else 2

    transitions = sorted(verdict.transitions, key=doubt)
    kept = tuple(transitions[:FEW])
    left_out = _left_out(verdict, "transitions", len(transitions[FEW:]))
    return _without_what_leads_elsewhere(replace(verdict, transitions=kept, left_out=left_out))


def _without_what_leads_elsewhere(verdict: LiveVerdict) -> LiveVerdict:
    """The verdict without reasons for one of its transitions."""
    sources = {source for source, _ in verdict.transitions}
    elsewhere = {
        _record(reason)
        for reason in verdict.because
        if reason.role == "pre" and reason.transition[1] not in sources
    }
    because = tuple(reason for reason in verdict.because if _record(reason) not in elsewhere)
    left_out = _left_out(verdict, "because", len(verdict.because) - len(because))
    return replace(verdict, because=because, left_out=left_out)


def _with_short_title(verdict: LiveVerdict) -> LiveVerdict:
    title = verdict.property
    return replace(verdict, property=title if len(title) <= _TITLE else f"{title[:_TITLE]}...")


def _without_instance(verdict: LiveVerdict) -> LiveVerdict:
    """The last resort: names and values of parameters may have kilobytes."""
    left_out = _left_out(verdict, "for", len(verdict.instance))
    return replace(verdict, instance={}, left_out=left_out)


def _with_least(verdict: LiveVerdict) -> LiveVerdict:
    """Reduce a verdict such that it fits even if each name has hundreds of characters, of 12 bytes
    each in ASCII."""
    clock = {verdict.process: verdict.clock[verdict.process]}
    left_out = dict(verdict.left_out)
    rule = verdict.rule
    said = () if rule is None else (rule.where, rule.description, rule.runbook_url, rule.tags)
    for field, lost in (
        ("rule", sum(map(bool, said))),
        ("clock", len(verdict.clock) - len(clock)),
        ("waiting_for", len(verdict.waiting_for)),
        ("silent", len(verdict.silent)),
        ("transitions", len(verdict.transitions[1:])),
    ):
        if lost:
            left_out[field] = left_out.get(field, 0) + lost
    return replace(
        verdict,
        property=f"{verdict.property[:_LEAST_TITLE]}...",
        clock=clock,
        waiting_for=(),
        silent=(),
        transitions=verdict.transitions[:1],
        rule=None if rule is None else LiveRule(rule.id, severity=rule.severity),
        left_out=left_out,
    )


def _with_reasons(most: int) -> Callable[[LiveVerdict], LiveVerdict]:
    def cut(verdict: LiveVerdict) -> LiveVerdict:
        if len(verdict.because) <= most:
            return verdict
        weights = [
            Weight(
                reason.role,
                _record(reason),
                reason.transition[1],
                reason.result,
                reason.relation,
                reason.certain,
            )
            for reason in verdict.because
        ]
        because = tuple([verdict.because[place] for place in decisive(weights, most)])
        left_out = _left_out(verdict, "because", len(verdict.because) - len(because))
        return replace(verdict, because=because, left_out=left_out)

    return cut


def _record(reason: LiveReason) -> object:
    """The record of a pre; of a vio, the one of the pre that it concerns."""
    if reason.role == "pre":
        return reason.transition, reason.event
    return reason.of_transition, reason.of


_CUTS: Final[tuple[Callable[[LiveVerdict], LiveVerdict], ...]] = (
    _with_reasons(MOST_REASONS),
    _with_clock_of_those_named,
    _without_sequences,
    _with_short_title,
    _with_few_waited_for,
    _with_few_silent,
    _with_few_transitions,
    *map(_with_reasons, (8, 4, 2, 1, 0)),
    _with_clock_of_those_named,
    _without_instance,
    _with_least,
)
