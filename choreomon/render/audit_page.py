"""One self-contained page about an audit: what it found, an order for each verdict as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from choreomon.audit.items import Gap
from choreomon.audit.outcome import AuditVerdict, Order, Outcome, Overall
from choreomon.audit.search import Unseen
from choreomon.core.message import ENVIRONMENT, HANDLE, SEND
from choreomon.core.recorded import Diagnostic
from choreomon.core.run import RunEvent
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.render.audit_text import gap_sentence, overall_text
from choreomon.render.automaton_drawing import automaton_picture
from choreomon.render.drawing import Picture
from choreomon.render.highlights import Highlight
from choreomon.render.page import as_html, facts, figure, page, section, table
from choreomon.render.space_time import space_time_picture
from choreomon.render.wording import VERDICT_IN_WORDS, counted, with_arrow

MAX_DETAILED: Final = 5
"""Verdicts with pictures, the gravest first."""

MAX_ROWS: Final = 200

_CLASS: Final = {VIOLATED: "violated", POSSIBLY_VIOLATED: "possibly", None: "quiet"}


def audit_page(
    title: str,
    document_facts: Sequence[tuple[str, str]],
    automaton: SequenceAutomaton,
    outcome: Outcome,
    counts: Mapping[str, int],
    diagnostics: Sequence[Diagnostic],
) -> str:
    """A whole HTML page. `document_facts` are names and values that say what was audited; `counts`
    of diagnostics by kind, of which `diagnostics` are the first. What is left out is counted."""
    result = overall_text(outcome).plain.splitlines()[0]
    tone = _CLASS[outcome.overall.kind]
    body = [
        f'<header class="{tone}"><p>{as_html(title)}</p><h1>{as_html(result)}</h1></header>',
        section("Verdicts", _verdicts(outcome)),
        section("What is missing", [gaps_table(outcome.gaps)]) if outcome.gaps else "",
        section("What is strange", diagnostics_parts(counts, diagnostics)) if counts else "",
        section("What must not happen", [figure(automaton_picture(automaton, title))]),
        section("What was audited", [facts(document_facts)]),
    ]
    return page(f"{title}: {result}", body)


def _verdicts(outcome: Outcome) -> list[str]:
    verdicts = _each_kind_first(outcome.verdicts)
    parts: list[str] = []
    for verdict in verdicts[:MAX_DETAILED]:
        parts += _verdict(verdict)
    if not verdicts and outcome.overall.kind is not None:
        parts += orders_parts(outcome.overall)
    if len(verdicts) > MAX_DETAILED:
        rows = [
            (VERDICT_IN_WORDS[each.kind], str(each.item.label), _where(each), each.reason)
            for each in verdicts[:MAX_ROWS]
        ]
        parts.append("<h3>All verdicts</h3>")
        parts.append(table(("verdict", "at", "where", "undecided because"), rows))
    if len(verdicts) > MAX_ROWS:
        parts.append(f"<p>{counted(len(verdicts) - MAX_ROWS, 'more verdict')}.</p>")
    return parts or ["<p>No order that agrees with the logs forms a forbidden sequence.</p>"]


def _each_kind_first(verdicts: Sequence[AuditVerdict]) -> list[AuditVerdict]:
    """The gravest first; of equally grave ones the first about each label, then the others."""
    met: set[tuple[str, str]] = set()
    again: dict[int, bool] = {}
    for place, each in enumerate(verdicts):
        key = (each.kind, str(each.item.label))
        again[place] = key in met
        met.add(key)
    order = sorted(again, key=lambda at: (verdicts[at].kind != VIOLATED, again[at]))
    return [verdicts[place] for place in order]


def _verdict(verdict: AuditVerdict) -> list[str]:
    told = f"{VERDICT_IN_WORDS[verdict.kind]} at {with_arrow(str(verdict.item.label))}"
    parts = [f"<h3>{as_html(told[0].upper() + told[1:])}</h3>"]
    parts.append(f"<p>{as_html(_where(verdict))}</p>")
    if verdict.undecided:
        parts.append(f"<p>Undecided: {as_html(verdict.reason)}.</p>")
    return [*parts, *orders_parts(verdict)]


def orders_parts(verdict: AuditVerdict | Overall) -> list[str]:
    """The orders for and against a verdict as pictures, and the gaps that they need."""
    parts = [f"<p>Because of a gap: {as_html(gap_sentence(gap))}.</p>" for gap in verdict.gaps]
    for order, caption in (
        (verdict.formed, "An order that forms it."),
        (verdict.not_formed, "An order that does not."),
    ):
        if order is not None and order.events:
            parts.append(figure(order_picture(order), _caption(order, caption)))
    return parts


def _caption(order: Order, caption: str) -> str:
    unseen = sum(isinstance(each, Unseen) for each in order.events)
    told = f" {counted(unseen, 'event')} of it happened in a gap, unseen." if unseen else ""
    cut_off = " It is not shown from its beginning." if order.cut_off else ""
    return f"{caption}{told}{cut_off} Only events that the property mentions are shown."


def order_picture(order: Order) -> Picture:
    """The order as a space-time diagram."""
    events = order_events(order)
    ends = {end for event in events for end in (event.message.sender, event.message.receiver)}
    names = sorted(ends - {ENVIRONMENT})
    last = len(order.formed)
    highlights = [
        Highlight(position, "judged" if step == last else "step", step)
        for step, position in enumerate(order.formed, 1)
    ]
    return space_time_picture(events, names, highlights, timed=False)


def order_events(order: Order) -> list[RunEvent]:
    """The events of an order as those of a run; a handle is drawn from the send before it that it
    belongs to by message id, or else by counting."""
    events: list[RunEvent] = []
    sends: dict[tuple[object, ...], list[int]] = {}
    for index, each in enumerate(order.events):
        assert each.label is not None
        kind, message = each.label
        recorded = None if isinstance(each, Unseen) else each.event
        key = (message, None if recorded is None else recorded.message_id)
        sent_at = None
        if kind == SEND:
            sends.setdefault(key, []).append(index)
        elif kind == HANDLE and sends.get(key):
            sent_at = sends[key].pop(0)
        if isinstance(each, Unseen):
            message = message._replace(name=f"{message.name}, unseen")
        clock = () if isinstance(each, Unseen) else each.clock
        events.append(
            RunEvent(index, index * 1000, kind, each.label.process, message, clock, sent_at)
        )
    return events


def gaps_table(gaps: Sequence[Gap]) -> str:
    """The first gaps."""
    rows = [(gap.process, gap_sentence(gap)) for gap in gaps[:MAX_ROWS]]
    return table(("process", "gap"), rows)


def diagnostics_parts(counts: Mapping[str, int], diagnostics: Sequence[Diagnostic]) -> list[str]:
    """How much was strange, and the first of it."""
    rows = [(each.kind, str(each.place), each.message) for each in diagnostics[:MAX_ROWS]]
    told = ", ".join(f"{count:,} {kind}" for kind, count in sorted(counts.items()))
    return [f"<p>{as_html(told)}</p>", table(("kind", "where", "what"), rows)]


def _where(verdict: AuditVerdict) -> str:
    return "" if verdict.item.event is None else str(verdict.item.event.place)
