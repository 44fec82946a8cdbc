"""Build the page about an audit: the answer, an order for each verdict as a list and a picture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final

from choreomon.audit.items import Gap
from choreomon.audit.kinds import Kind, kind_of
from choreomon.audit.occurrences import Occurrences
from choreomon.audit.outcome import AuditVerdict, Order, Outcome, Overall
from choreomon.audit.rules import RuleResult
from choreomon.audit.search import Unseen
from choreomon.audit.to_record import to_record
from choreomon.core.message import ENVIRONMENT, HANDLE, SEND
from choreomon.core.recorded import Diagnostic, Place
from choreomon.core.roles import NO_ROLES, Roles
from choreomon.core.run import RunEvent, with_known_ends
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED
from choreomon.pages.page import (
    Section,
    as_html,
    figure,
    folded,
    header,
    page,
    section,
    table,
    wide,
)
from choreomon.pages.property_section import property_section
from choreomon.pictures.shapes.drawing import Picture
from choreomon.pictures.space_time.diagram import place_of, space_time_picture
from choreomon.pictures.space_time.highlights import Highlight
from choreomon.pictures.space_time.scene import LogLines
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.sentences.kinds import Alike, kinds
from choreomon.sentences.wording import VERDICT_IN_WORDS, counted, with_arrow
from choreomon.terminal.audit_text import (
    audit_headline,
    counted_events,
    gap_sentence,
    grouped,
    late_sentences,
    nowhere_lines,
    undecided_sentence,
    unrelated_sentence,
    where_written,
)
from choreomon.terminal.rules_text import (
    IN_WORDS,
    far_in_words,
    gravest_first,
    rule_lines,
    said_in_words,
)

MAX_KINDS: Final = 20
"""The most kinds of verdicts with pictures, the gravest first."""

MAX_ROWS: Final = 200

TONES: Final = {VIOLATED: "violated", POSSIBLY_VIOLATED: "possibly", None: "quiet"}

GAPS_ALONE: Final = frozenset(("gap", "log-missing"))
"""Kinds of diagnostics that gaps report already."""

NO_TEXT: Final[Mapping[Place, str]] = {}


def audit_page(
    title: str,
    document_facts: Sequence[tuple[str, str]],
    automaton: SequenceAutomaton,
    outcome: Outcome,
    rules: Sequence[RuleResult],
    counts: Mapping[str, int],
    diagnostics: Sequence[Diagnostic],
    made_with: Sequence[tuple[str, str]] = (),
    log_text: Mapping[Place, str] = NO_TEXT,
) -> str:
    """A whole HTML page. `document_facts` are names and values that say what was audited,
    `made_with` what the page was made with; `counts` of diagnostics by kind, the first of which are
    `diagnostics`. `log_text` is the text of the logs at `places_shown`, as far as known. Omissions
    are counted."""
    result = f"{with_arrow(audit_headline(outcome, lambda place: str(place).rpartition('/')[2]))}."
    roles = outcome.occurrences.roles
    found = kinds_of_verdicts(outcome.verdicts, roles)
    told = (
        unrelated_sentence(outcome),
        counted_events(outcome.events, outcome.labelled),
        undecided_sentence(outcome),
        *(map(with_arrow, rule_lines(rules)) if len(rules) == 1 else ()),
        *late_sentences(outcome),
        *map(with_arrow, nowhere_lines(outcome.occurrences.nowhere())),
    )
    strange = {kind: count for kind, count in counts.items() if kind not in GAPS_ALONE}
    body: list[str | Section] = [
        header(TONES[outcome.overall.kind], title, result, filter(None, told)),
        section("Rules", rules_parts(rules)) if len(rules) > 1 else "",
        section("What was found", _verdicts(found, outcome.overall, log_text, roles)),
        to_record_section(outcome.verdicts or (outcome.overall,), outcome.occurrences),
        property_section(automaton, title),
        section("What occurred", labels_parts(outcome.occurrences)),
        section("What is missing", _gaps(outcome.gaps)) if outcome.gaps else "",
        section("What is strange", diagnostics_parts(strange, diagnostics)) if strange else "",
    ]
    return page(f"{result} {title}", body, (*document_facts, *made_with))


def places_shown(outcome: Outcome) -> set[Place]:
    """The places in logs of the events that the page lists."""
    shown: list[AuditVerdict | Overall] = [outcome.overall]
    found = kinds_of_verdicts(outcome.verdicts, outcome.occurrences.roles)
    shown += [kind.first for kind in found[:MAX_KINDS]]
    orders = (order for each in shown for order in (each.formed, each.not_formed))
    events = chain.from_iterable(order.events for order in orders if order is not None)
    return {
        each.event.place
        for each in events
        if not isinstance(each, Unseen) and each.event is not None
    }


def kinds_of_verdicts(
    verdicts: Sequence[AuditVerdict], roles: Roles = NO_ROLES
) -> list[Alike[Kind, AuditVerdict]]:
    """The gravest kinds come first, and of each kind the first verdict for which there is an order
    to show."""
    found = sorted(
        verdicts, key=lambda each: (each.kind != VIOLATED, each.formed is None, each.item.number)
    )
    return kinds(found, lambda each: kind_of(each, roles))


def _verdicts(
    found: Sequence[Alike[Kind, AuditVerdict]],
    overall: Overall,
    log_text: Mapping[Place, str],
    roles: Roles,
) -> list[str]:
    parts: list[str] = []
    if len(found) > 1:
        parts.append(_kinds(found))
    for kind in found[:MAX_KINDS]:
        parts += _verdict(kind.first, log_text, roles)
        if kind.others:
            parts.append(_alike(kind.others))
    if not found and overall.kind is not None:
        parts += orders_parts(overall, log_text, roles)
    if len(found) > MAX_KINDS:
        parts.append(f"<p>{counted(len(found) - MAX_KINDS, 'more kind')} of verdicts.</p>")
    return parts or ["<p>No order that agrees with the logs forms a forbidden sequence.</p>"]


def _kinds(found: Sequence[Alike[Kind, AuditVerdict]]) -> str:
    """A table of how many verdicts there are of each kind."""
    rows = [
        (
            with_arrow(str(each.first.item.label)),
            VERDICT_IN_WORDS[each.first.kind],
            f"{1 + len(each.others):,}",
        )
        for each in found
    ]
    return table(("completed by", "verdict", "verdicts"), rows)


def _alike(others: Sequence[AuditVerdict]) -> str:
    """Other verdicts of a kind, folded."""
    rows = [(_where(each), each.reason) for each in others[:MAX_ROWS]]
    parts = [table(("where", "undecided because"), rows)]
    if len(others) > MAX_ROWS:
        parts.append(f"<p>{counted(len(others) - MAX_ROWS, 'more verdict')}.</p>")
    return folded(f"{len(others):,} more like this", parts)


def _verdict(verdict: AuditVerdict, log_text: Mapping[Place, str], roles: Roles) -> list[str]:
    where = _where(verdict)
    parts = [f"<h3>{as_html(_told(verdict))}{f', {as_html(where)}' if where else ''}</h3>"]
    if verdict.undecided:
        parts.append(f"<p>Undecided: {as_html(verdict.reason)}.</p>")
    return [*parts, *orders_parts(verdict, log_text, roles)]


def _told(verdict: AuditVerdict) -> str:
    said = VERDICT_IN_WORDS[verdict.kind]
    return f"{said.capitalize()} at {with_arrow(str(verdict.item.label))}"


def orders_parts(
    verdict: AuditVerdict | Overall,
    log_text: Mapping[Place, str] = NO_TEXT,
    roles: Roles = NO_ROLES,
) -> list[str]:
    """The orders for and against a verdict, each as a list beside its picture, and the gaps that
    they need."""
    parts = [f"<p>Because of a gap: {as_html(gap_sentence(gap))}.</p>" for gap in verdict.gaps]
    for order, heading in (
        (verdict.formed, "It was formed in this order"),
        (verdict.not_formed, "It was not formed in this order"),
    ):
        if order is not None and order.events:
            picture = order_picture(order, log_text, roles)
            focus = place_of(picture, order.formed[-1]) if order.formed else None
            parts.append(
                f'<div class="finding"><div><h4>{heading}</h4>{_listed(order, log_text)}</div>'
                f"{figure(picture, _caption(order), focus)}</div>"
            )
    return parts


def _listed(order: Order, log_text: Mapping[Place, str]) -> str:
    """The events of an order as an ordered list, in which only steps have numbers."""
    if len(order.events) > MAX_ROWS:
        return f"<p>{counted(len(order.events), 'event')}, of which the picture shows all.</p>"
    items = []
    for position, each in enumerate(order.events):
        step = order.formed.index(position) + 1 if position in order.formed else None
        kind = ' class="other"' if step is None else f' value="{step}"'
        where = where_written(each).rpartition("/")[2]
        items.append(
            f"<li{kind}>{as_html(with_arrow(str(each.label)))} <code>{as_html(where)}</code></li>"
        )
    return f'<ol class="order">{"".join(items)}</ol>{_written(order, log_text)}'


def _written(order: Order, log_text: Mapping[Place, str]) -> str:
    """The lines of the logs themselves, folded."""
    lines = [
        f"{place.line:>6}  {log_text[place]}" for _, place in _places(order) if place in log_text
    ]
    if not lines:
        return ""
    text = as_html("\n".join(lines))
    return folded("What the logs say there", [wide(f"<pre>{text}</pre>", "lines of the logs")])


def _caption(order: Order) -> str:
    unseen = sum(isinstance(each, Unseen) for each in order.events)
    told = [f"{counted(unseen, 'event')} of it happened in a gap, unseen."] if unseen else []
    if order.cut_off:
        told.append("It is not shown from its beginning.")
    return " ".join((*told, "Events that the property does not mention are hidden."))


def order_picture(
    order: Order, log_text: Mapping[Place, str] = NO_TEXT, roles: Roles = NO_ROLES
) -> Picture:
    """A space-time diagram of the order, with the lines of the logs below its axis."""
    events = with_known_ends(order_events(order, roles))
    ends = {end for event in events for end in (event.message.sender, event.message.receiver)}
    names = sorted(ends - {ENVIRONMENT})
    last = len(order.formed)
    highlights = [
        Highlight(position, "judged" if step == last else "step", step)
        for step, position in enumerate(order.formed, 1)
    ]
    places = dict(_places(order))
    lines = LogLines(
        {index: str(place.line) for index, place in places.items() if place.line},
        {
            index: "\n".join(filter(None, (str(place), log_text.get(place, ""))))
            for index, place in places.items()
        },
    )
    return space_time_picture(events, names, highlights, timed=False, lines=lines)


def _places(order: Order) -> Iterator[tuple[int, Place]]:
    for index, each in enumerate(order.events):
        if not isinstance(each, Unseen) and each.event is not None:
            yield index, each.event.place


def order_events(order: Order, roles: Roles = NO_ROLES) -> list[RunEvent]:
    """The events of an order as those of a run; a handle is drawn from the earlier send that it
    belongs to by message id, or else by counting. Messages have `roles` at one end."""
    events: list[RunEvent] = []
    sends: dict[tuple[object, ...], list[int]] = {}
    for index, each in enumerate(order.events):
        assert each.label is not None
        kind, message = each.label
        recorded = None if isinstance(each, Unseen) else each.event
        of_roles = roles.of_roles(each.label).message if roles else message
        key = (of_roles, None if recorded is None else recorded.message_id)
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
    """Parts on how much was strange, with the first diagnostics."""
    shown = [each for each in diagnostics if each.kind in counts]
    rows = [
        (each.kind, f"{times:,}", str(each.place), each.message)
        for each, times in grouped(shown)[:MAX_ROWS]
    ]
    told = ", ".join(f"{count:,} {kind}" for kind, count in sorted(counts.items()))
    return [f"<p>{as_html(told)}</p>", table(("kind", "times", "first", "what"), rows)]


def rules_parts(rules: Sequence[RuleResult]) -> list[str]:
    """Parts on the result of each rule, the gravest first."""
    told = gravest_first(rules)
    rows = [
        (
            rule.name,
            IN_WORDS[rule.word],
            far_in_words(rule),
            with_arrow(said_in_words(rule)),
        )
        for rule in told[:MAX_ROWS]
    ]
    parts = [table(("rule", "result", "how far it came", "what it forbids"), rows)]
    if len(told) > MAX_ROWS:
        parts.append(f"<p>{counted(len(told) - MAX_ROWS, 'more rule')}.</p>")
    return parts


def to_record_section(
    verdicts: Iterable[AuditVerdict | Overall], occurrences: Occurrences
) -> Section | str:
    """The section on what would make the next audit more definite; empty if this one is."""
    told = to_record(verdicts, occurrences)
    if not told:
        return ""
    sentences = (with_arrow(f"{sentence[0].upper()}{sentence[1:]}.") for sentence in told)
    items = "".join(f"<li>{as_html(sentence)}</li>" for sentence in sentences)
    return section("What to record next time", [f'<ul class="plain">{items}</ul>'])


def labels_parts(occurrences: Occurrences, *, sessions: str = "") -> list[str]:
    """Parts on how often each label of the property occurred, the rarest first, and in how many
    `sessions`, a word for them, if there are any."""
    found = sorted(occurrences.of_labels(), key=lambda each: each.events)
    rows = [
        (
            with_arrow(str(each.label)),
            f"{each.events:,}" if each.events else "never",
            *((f"{each.sessions:,}",) if sessions else ()),
        )
        for each in found[:MAX_ROWS]
    ]
    parts = [table(("label", "events", *((f"{sessions}s",) if sessions else ())), rows)]
    if len(found) > MAX_ROWS:
        parts.append(f"<p>{counted(len(found) - MAX_ROWS, 'more label')}, which occur more.</p>")
    return parts


def _where(verdict: AuditVerdict) -> str:
    return "" if verdict.item.event is None else str(verdict.item.event.place)
