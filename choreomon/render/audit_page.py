"""One self-contained page about an audit: what it found, an order for each verdict as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from choreomon.audit.items import Gap
from choreomon.audit.kinds import Kind, kind_of
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
from choreomon.render.kinds import Alike, kinds
from choreomon.render.page import (
    Section,
    as_html,
    figure,
    folded,
    header,
    page,
    section,
    table,
)
from choreomon.render.space_time import place_of, space_time_picture
from choreomon.render.wording import VERDICT_IN_WORDS, counted, with_arrow

MAX_KINDS: Final = 20
"""Of verdicts, each with pictures, the gravest first."""

MAX_ROWS: Final = 200

_CLASS: Final = {VIOLATED: "violated", POSSIBLY_VIOLATED: "possibly", None: "quiet"}


def audit_page(
    title: str,
    document_facts: Sequence[tuple[str, str]],
    automaton: SequenceAutomaton,
    outcome: Outcome,
    counts: Mapping[str, int],
    diagnostics: Sequence[Diagnostic],
    made_with: Sequence[tuple[str, str]] = (),
) -> str:
    """A whole HTML page. `document_facts` are names and values that say what was audited,
    `made_with` what the page was made with; `counts` of diagnostics by kind, of which `diagnostics`
    are the first. What is left out is counted."""
    told = overall_text(outcome).plain.splitlines()
    result = told[0]
    tone = _CLASS[outcome.overall.kind]
    found = kinds_of_verdicts(outcome.verdicts)
    body: list[str | Section] = [
        header(tone, title, result, _last_step(found)),
        section("Summary", _summary(told, found)),
        section("What must not happen", [figure(automaton_picture(automaton, title))]),
        section("What was found", _verdicts(found, outcome.overall)),
        section("What is missing", _gaps(outcome.gaps)) if outcome.gaps else "",
        section("What is strange", diagnostics_parts(counts, diagnostics)) if counts else "",
    ]
    return page(f"{title}: {result}", body, (*document_facts, *made_with))


def kinds_of_verdicts(verdicts: Sequence[AuditVerdict]) -> list[Alike[Kind, AuditVerdict]]:
    """The gravest kinds come first, and of each kind the first verdict for which there is an order
    to show."""
    found = sorted(
        verdicts, key=lambda each: (each.kind != VIOLATED, each.formed is None, each.item.number)
    )
    return kinds(found, kind_of)


def _last_step(found: Sequence[Alike[Kind, AuditVerdict]]) -> list[str]:
    """Where the gravest verdict is, for the head of the page."""
    return [": ".join(filter(None, (_told(kind.first), _where(kind.first)))) for kind in found[:1]]


def _summary(told: Sequence[str], found: Sequence[Alike[Kind, AuditVerdict]]) -> list[str]:
    """What all comes to, and how many verdicts there are of each kind."""
    rows = [
        (
            with_arrow(str(each.first.item.label)),
            VERDICT_IN_WORDS[each.first.kind],
            f"{1 + len(each.others):,}",
        )
        for each in found
    ]
    parts = [f"<p>{as_html(line)}</p>" for line in told]
    return [*parts, table(("completed by", "verdict", "verdicts"), rows)] if rows else parts


def _verdicts(found: Sequence[Alike[Kind, AuditVerdict]], overall: Overall) -> list[str]:
    parts: list[str] = []
    for kind in found[:MAX_KINDS]:
        parts += _verdict(kind.first)
        if kind.others:
            parts.append(_alike(kind.others))
    if not found and overall.kind is not None:
        parts += orders_parts(overall)
    if len(found) > MAX_KINDS:
        parts.append(f"<p>{counted(len(found) - MAX_KINDS, 'more kind')} of verdicts.</p>")
    return parts or ["<p>No order that agrees with the logs forms a forbidden sequence.</p>"]


def _alike(others: Sequence[AuditVerdict]) -> str:
    """Other verdicts of a kind, folded."""
    rows = [(_where(each), each.reason) for each in others[:MAX_ROWS]]
    parts = [table(("where", "undecided because"), rows)]
    if len(others) > MAX_ROWS:
        parts.append(f"<p>{counted(len(others) - MAX_ROWS, 'more verdict')}.</p>")
    return folded(f"{len(others):,} more like this", parts)


def _verdict(verdict: AuditVerdict) -> list[str]:
    parts = [f"<h3>{as_html(_told(verdict))}</h3>"]
    parts.append(f"<p>{as_html(_where(verdict))}</p>")
    if verdict.undecided:
        parts.append(f"<p>Undecided: {as_html(verdict.reason)}.</p>")
    return [*parts, *orders_parts(verdict)]


def _told(verdict: AuditVerdict) -> str:
    said = VERDICT_IN_WORDS[verdict.kind]
    return f"{said.capitalize()} at {with_arrow(str(verdict.item.label))}"


def orders_parts(verdict: AuditVerdict | Overall) -> list[str]:
    """The orders for and against a verdict as pictures, and the gaps that they need."""
    parts = [f"<p>Because of a gap: {as_html(gap_sentence(gap))}.</p>" for gap in verdict.gaps]
    for order, caption in (
        (verdict.formed, "An order that forms it."),
        (verdict.not_formed, "An order that does not."),
    ):
        if order is not None and order.events:
            picture = order_picture(order)
            focus = place_of(picture, order.formed[-1]) if order.formed else None
            parts.append(figure(picture, _caption(order, caption), focus))
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


def _gaps(gaps: Sequence[Gap]) -> list[str]:
    rows = [(gap.process, gap_sentence(gap)) for gap in gaps[:MAX_ROWS]]
    parts = [table(("process", "gap"), rows)]
    if len(gaps) > MAX_ROWS:
        parts.append(f"<p>{counted(len(gaps) - MAX_ROWS, 'more gap')}.</p>")
    return parts


def diagnostics_parts(counts: Mapping[str, int], diagnostics: Sequence[Diagnostic]) -> list[str]:
    """How much was strange, and the first of it."""
    rows = [(each.kind, str(each.place), each.message) for each in diagnostics[:MAX_ROWS]]
    told = ", ".join(f"{count:,} {kind}" for kind, count in sorted(counts.items()))
    return [f"<p>{as_html(told)}</p>", table(("kind", "where", "what"), rows)]


def _where(verdict: AuditVerdict) -> str:
    return "" if verdict.item.event is None else str(verdict.item.event.place)
