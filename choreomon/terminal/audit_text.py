"""Findings of an audit, as lines for people: verdicts, each with an order for it and one
against."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from rich.text import Text

from choreomon.audit.items import Gap, Item
from choreomon.audit.occurrences import LabelOccurrences, Occurrences
from choreomon.audit.outcome import AuditVerdict, Order, Outcome, Overall
from choreomon.audit.rules import RuleResult
from choreomon.audit.search import Unseen
from choreomon.audit.to_record import to_record
from choreomon.core.recorded import Diagnostic, Place
from choreomon.core.suggestion import listed
from choreomon.core.templates import Templates
from choreomon.core.verdict import VIOLATED
from choreomon.sentences.wording import VERDICT_IN_WORDS, counted
from choreomon.terminal.rules_text import rule_lines
from choreomon.terminal.text import STYLES

MOST_EVENTS: Final = 12
"""The most events of an order that are shown, the last ones."""

MOST_GROUPS: Final = 1_000
"""The most kinds of sentences about what is strange."""

MOST_NOWHERE: Final = 10
"""The most labels without an occurrence that are listed with what may have been meant."""


def session_name(name: str) -> str:
    """The name of a session as shown, on one line and without control sequences."""
    if not name:
        return "(none)"
    return name if name.isprintable() else ascii(name)


def verdict_lines(verdict: AuditVerdict) -> Text:
    """The lines of a verdict, with its reasons."""
    text = verdict_line(verdict)
    _append_orders(text, verdict, "formed there", "not formed there")
    for gap in verdict.gaps:
        text.append(f"\n  because of a gap: {gap_sentence(gap)}")
    return text


def verdict_line(verdict: AuditVerdict) -> Text:
    """The line of a verdict, without its reasons."""
    event = verdict.item.event
    assert event is not None
    session = f"session {session_name(event.session)}: " if event.session else ""
    text = Text(f"{event.place}: {session}")
    text.append(VERDICT_IN_WORDS[verdict.kind], STYLES[verdict.kind])
    text.append(f" at {verdict.item.label}")
    if verdict.rule is not None:
        text.append(f": {verdict.rule.name}")
    if verdict.undecided:
        text.append(f", undecided: {verdict.reason}")
    return text


def audit_headline(outcome: Outcome, written: Callable[[Place], str] = str) -> str:
    """The answer, without a full stop; `written` formats places."""
    overall = outcome.overall
    if overall.kind is None:
        return "Nothing forbidden happened, in any possible order"
    said = VERDICT_IN_WORDS[overall.kind].capitalize()
    told = [verdict for verdict in outcome.verdicts if verdict.kind == overall.kind]
    if not told and overall.kind == VIOLATED:
        return f"{said} in every possible order, though not at the same event in all of them"
    if not told and outcome.verdicts:
        return said
    if not told:
        return f"{said}, by events that may be missing from the logs"
    first = min(told, key=lambda verdict: verdict.item.number)
    assert first.item.event is not None
    at = f"{first.item.label}, at {written(first.item.event.place)}"
    if len(told) == 1:
        return f"{said} once: {at}"
    return f"{said} at {len(told):,} events, first {at}"


def counted_events(events: int, labelled: int) -> str:
    """A sentence on how many of the events the property is about."""
    verb = "matters" if labelled == 1 else "matter"
    return f"{labelled:,} of {counted(events, 'event')} {verb} to this property."


def unrelated_sentence(outcome: Outcome) -> str:
    """A question to ask if the logs have nothing to do with the property; otherwise empty."""
    if outcome.labelled or not outcome.events:
        return ""
    missing = sorted({gap.process for gap in outcome.gaps if not gap.after and not gap.before})
    *first, last = missing or [""]
    who = f"{', '.join(first)} and {last}" if first else last
    have = "have" if first else "has"
    without = f", and {who} {have} no log" if missing else ""
    return (
        f"None of the {counted(outcome.events, 'event')} is named by the property{without}. Is "
        "this the right log, or is a mapping missing (--mapping)? See what the lines became: "
        "choreomon audit --explain-mapping LOG"
    )


def undecided_sentence(outcome: Outcome) -> str:
    """A sentence on what is unknown; empty if nothing is."""
    undecided = sum(verdict.undecided for verdict in outcome.verdicts)
    if undecided:
        return f"{counted(undecided, 'event')} undecided."
    return f"Undecided: {outcome.overall.reason}." if outcome.overall.undecided else ""


def late_sentences(outcome: Outcome) -> list[str]:
    """Sentences on gaps that were found too late for what came before."""
    return [
        f"What came before was judged as if there were no gap: {gap_sentence(gap)}. "
        f"To have all judged by it: --incomplete {gap.process}"
        for gap in outcome.late
    ]


def nowhere_lines(nowhere: Sequence[LabelOccurrences]) -> list[str]:
    """Sentences on labels that occur nowhere, so that silence is not taken for innocence: one for
    each label that is probably misspelt, the first `MOST_NOWHERE`, and one for all others, which
    may well be right: nobody did what they forbid."""
    likely = [each for each in nowhere if each.nearest is not None][:MOST_NOWHERE]
    others = [str(each.label) for each in nowhere if each not in likely]
    told = [each.sentence() for each in likely]
    if others:
        since = "they occur" if len(others) > 1 else "it occurs"
        told.append(f"Not exercised, since {since} nowhere in these logs: {listed(others)}.")
    return told


def overall_text(outcome: Outcome, rules: Sequence[RuleResult]) -> Text:
    """The answer in one line with its basis, and below it orders that no verdict shows, a line for
    each of several rules, and what to record next time."""
    overall = outcome.overall
    headline = audit_headline(outcome)
    unrelated = unrelated_sentence(outcome)
    text = Text(f"{unrelated}\n" if unrelated else "")
    if overall.kind is None:
        text.append(headline)
    else:
        said = len(VERDICT_IN_WORDS[overall.kind])
        text.append(headline[:said], STYLES[overall.kind])
        text.append(headline[said:])
    counts = counted_events(outcome.events, outcome.labelled)
    text.append(" ".join(filter(None, (".", counts, undecided_sentence(outcome)))))
    if not any(verdict.kind == overall.kind for verdict in outcome.verdicts):
        _append_orders(text, overall, "formed", "not formed")
    told = (
        *late_sentences(outcome),
        *rule_lines(rules),
        *to_record_lines(outcome.verdicts or (overall,), outcome.occurrences),
        *nowhere_lines(outcome.occurrences.nowhere()),
    )
    for sentence in told:
        text.append(f"\n{sentence}")
    return text


def to_record_lines(
    verdicts: Iterable[AuditVerdict | Overall], occurrences: Occurrences
) -> list[str]:
    """Lines on what would make the next audit more definite."""
    return [f"To know more: {sentence}." for sentence in to_record(verdicts, occurrences)]


def overall_lines(overall: Overall, where: str) -> Text:
    """The lines of an overall verdict, which no single event shows, with its reasons."""
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
    """A sentence on what is missing, and where."""
    places = " and ".join(
        f"{word} {place}" for word, place in (("after", gap.after), ("before", gap.before)) if place
    )
    return f"{gap.reason} ({places})" if places else gap.reason


def diagnostic_lines(counts: Mapping[str, int]) -> list[str]:
    """Lines on how much was strange, by kind."""
    return [f"{count:,} {kind.replace('-', ' ')}" for kind, count in sorted(counts.items())]


def grouped(diagnostics: Iterable[Diagnostic]) -> list[tuple[Diagnostic, int]]:
    """Group similar diagnostics, with their numbers: those of one kind whose sentences differ in a
    few words. Gaps are left out; they have lines of their own."""
    templates: dict[str, Templates] = {}
    found: dict[int, tuple[Diagnostic, int]] = {}
    others: list[tuple[Diagnostic, int]] = []
    for each in diagnostics:
        if each.kind in ("gap", "log-missing"):
            continue
        own = templates.setdefault(each.kind, Templates(MOST_GROUPS)).add(each.message)
        if own is None:
            others.append((each, 1))
        else:
            first, times = found.get(id(own), (each, 0))
            found[id(own)] = first, times + 1
    return [*found.values(), *others]


def strange_lines(diagnostics: Iterable[Diagnostic], shown: int) -> list[str]:
    """The first diagnostics, each with the place of the first similar one."""
    return [
        ": ".join(filter(None, (str(each.place), each.message)))
        + (f" ({times - 1:,} more like it)" if times > 1 else "")
        for each, times in grouped(diagnostics)[:shown]
    ]


def _append_orders(text: Text, verdict: AuditVerdict | Overall, yes: str, no: str) -> None:
    if verdict.formed is not None:
        text.append(f"\n  {yes} in this order:")
        _append_order(text, verdict.formed)
    if verdict.not_formed is not None:
        text.append(f"\n  {no} in this order:")
        _append_order(text, verdict.not_formed)


def _append_order(text: Text, order: Order) -> None:
    """Append the events of an order, those of the formed sequence with the number of their step."""
    for row in order_rows(order):
        if row.label:
            text.append(f"\n   {row.step:>2} {row.label}  ({row.where})")
        else:
            text.append(f"\n      {row.where}")


class OrderRow(NamedTuple):
    """An event of an order: the number of its step in the formed sequence or "", its label, and
    where it is written. A row without a label stands for omitted events."""

    step: str
    label: str
    where: str


def order_rows(order: Order) -> list[OrderRow]:
    """The events of an order: those of the formed sequence and at most `MOST_EVENTS` others, the
    last ones."""
    if not order.events:
        return [OrderRow("", "", "(no event)")]
    kept = {*order.formed, *range(len(order.events) - MOST_EVENTS, len(order.events))}
    rows: list[OrderRow] = []
    left_out = order.cut_off
    for position, each in enumerate(order.events):
        if position not in kept:
            left_out = True
            continue
        if left_out:
            rows.append(OrderRow("", "", "..."))
            left_out = False
        step = f"{order.formed.index(position) + 1}" if position in order.formed else ""
        rows.append(OrderRow(step, str(each.label), where_written(each)))
    return rows


def where_written(each: Item | Unseen) -> str:
    """File and line of an event."""
    if isinstance(each, Unseen):
        return f"unseen, in a gap of {each.gap.process}"
    assert each.event is not None
    return str(each.event.place)
