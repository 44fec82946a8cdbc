"""What an audit found, as lines for people: verdicts, with an order for each and one against."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rich.text import Text

from choreomon.audit.items import Gap
from choreomon.audit.outcome import AuditVerdict, Order, Outcome, Overall
from choreomon.audit.search import Unseen
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED
from choreomon.render.text import STYLES
from choreomon.render.wording import VERDICT_IN_WORDS, counted

MOST_EVENTS: Final = 12
"""Events of an order that are shown; of longer ones the last."""


def session_name(name: str) -> str:
    """As it is shown, on one line and without commands to the terminal."""
    if not name:
        return "(none)"
    return name if name.isprintable() else ascii(name)


def verdict_lines(verdict: AuditVerdict) -> Text:
    """One verdict, and why."""
    text = verdict_line(verdict)
    _append_orders(text, verdict, "formed there", "not formed there")
    for gap in verdict.gaps:
        text.append(f"\n  because of a gap: {gap_sentence(gap)}")
    return text


def verdict_line(verdict: AuditVerdict) -> Text:
    """One verdict alone."""
    event = verdict.item.event
    assert event is not None
    session = f"session {session_name(event.session)}: " if event.session else ""
    text = Text(f"{event.place}: {session}")
    text.append(VERDICT_IN_WORDS[verdict.kind], STYLES[verdict.kind])
    text.append(f" at {verdict.item.label}")
    if verdict.undecided:
        text.append(f", undecided: {verdict.reason}")
    return text


def overall_text(outcome: Outcome) -> Text:
    """What all of it comes to, in one sentence, and what that rests on."""
    overall = outcome.overall
    counts = (
        f"{counted(outcome.events, 'event')}, of which the property mentions {outcome.labelled:,}"
    )
    if overall.kind is None:
        return Text(f"{counts}: no forbidden sequence was formed, in any possible order")
    told = sum(verdict.kind == overall.kind for verdict in outcome.verdicts)
    text = Text(f"{counts}: ")
    text.append(VERDICT_IN_WORDS[overall.kind], STYLES[overall.kind])
    if overall.kind == VIOLATED and not told:
        text.append(", in every possible order, though not at the same event in all of them")
    elif told:
        text.append(f", at {counted(told, 'event')}")
    if overall.kind == POSSIBLY_VIOLATED and not outcome.verdicts:
        text.append(", by events that may be missing from the logs")
    undecided = sum(verdict.undecided for verdict in outcome.verdicts)
    if undecided:
        text.append(f"; {counted(undecided, 'event')} undecided")
    elif overall.undecided:
        text.append(f"; undecided: {overall.reason}")
    if not told:
        _append_orders(text, overall, "formed", "not formed")
    for gap in outcome.late:
        text.append(
            f"\nWhat came before was judged as if there were no gap: {gap_sentence(gap)}. "
            f"To have all judged by it: --incomplete {gap.process}"
        )
    return text


def overall_lines(overall: Overall, where: str) -> Text:
    """A verdict about all of something that no event alone shows, and why."""
    assert overall.kind is not None
    text = Text(f"{where}: ")
    text.append(VERDICT_IN_WORDS[overall.kind], STYLES[overall.kind])
    if overall.kind == VIOLATED:
        text.append(" in every order, though not at one event in all of them")
    elif not overall.undecided:
        text.append(" by events that are in no log")
    if overall.undecided:
        text.append(f", undecided: {overall.reason}")
    _append_orders(text, overall, "formed", "not formed")
    for gap in overall.gaps:
        text.append(f"\n  because of a gap: {gap_sentence(gap)}")
    return text


def gap_sentence(gap: Gap) -> str:
    """What is missing, and where."""
    places = " and ".join(
        f"{word} {place}" for word, place in (("after", gap.after), ("before", gap.before)) if place
    )
    return f"{gap.reason} ({places})" if places else gap.reason


def diagnostic_lines(counts: Mapping[str, int]) -> list[str]:
    """How much was strange, by kind."""
    return [f"{count:,} {kind.replace('-', ' ')}" for kind, count in sorted(counts.items())]


def _append_orders(text: Text, verdict: AuditVerdict | Overall, yes: str, no: str) -> None:
    if verdict.formed is not None:
        text.append(f"\n  {yes} in this order:")
        _append_order(text, verdict.formed)
    if verdict.not_formed is not None:
        text.append(f"\n  {no} in this order:")
        _append_order(text, verdict.not_formed)


def _append_order(text: Text, order: Order) -> None:
    """Its events, those of the formed sequence with the number of their step; no more than
    `MOST_EVENTS`."""
    kept = {*order.formed, *range(len(order.events) - MOST_EVENTS, len(order.events))}
    left_out = order.cut_off
    if not order.events:
        text.append("\n      (no event)")
    for position, each in enumerate(order.events):
        if position not in kept:
            left_out = True
            continue
        if left_out:
            text.append("\n      ...")
            left_out = False
        step = f"{order.formed.index(position) + 1}" if position in order.formed else ""
        if isinstance(each, Unseen):
            where = f"unseen, in a gap of {each.gap.process}"
        else:
            assert each.event is not None
            where = str(each.event.place)
        text.append(f"\n   {step:>2} {each.label}  ({where})")
