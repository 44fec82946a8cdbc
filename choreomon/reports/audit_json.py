"""The object that `choreomon audit --json` prints. docs/audit.md says what is in it.

The order of keys is fixed and everything but ASCII is escaped, so equal logs give equal bytes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from choreomon.audit.items import Gap
from choreomon.audit.occurrences import Occurrences
from choreomon.audit.outcome import AuditVerdict, Order, Outcome, Overall
from choreomon.audit.rules import RuleResult
from choreomon.audit.search import Unseen
from choreomon.audit.summary import INSTANCE, Example, Judged, SessionsOutcome
from choreomon.audit.to_record import to_record
from choreomon.core.binding import Binding
from choreomon.core.recorded import Diagnostic, Place


def audit_json(
    outcome: Outcome,
    rules: Sequence[RuleResult],
    counts: Mapping[str, int],
    diagnostics: Sequence[Diagnostic],
) -> str:
    """The object on one line, without a line end. `counts` of diagnostics by kind, of which
    `diagnostics` are the first."""
    number = {gap: index for index, gap in enumerate(_all_gaps(outcome))}
    return json.dumps(
        {
            "events": outcome.events,
            "labelled": outcome.labelled,
            "rules": [*map(_rule, rules)],
            "labels": _labels(outcome.occurrences),
            "overall": _overall(outcome.overall, number),
            "undecided": sum(verdict.undecided for verdict in outcome.verdicts),
            "verdicts": [_verdict(verdict, number) for verdict in outcome.verdicts],
            "gaps": [_gap(gap) for gap in number],
            **({"late": [number[gap] for gap in outcome.late]} if outcome.late else {}),
            **_to_record(outcome.verdicts or (outcome.overall,), outcome.occurrences),
            "diagnostics": _diagnostics(counts, diagnostics),
        },
        separators=(",", ":"),
    )


def sessions_json(
    outcome: SessionsOutcome,
    rules: Sequence[RuleResult],
    counts: Mapping[str, int],
    diagnostics: Sequence[Diagnostic],
) -> str:
    """The object for many sessions: how many of each verdict, and each kind of verdict once."""
    gaps = dict.fromkeys((*outcome.gaps, *outcome.late))
    for example in outcome.kinds:
        gaps |= _gaps_of(example.verdict)
    for each in outcome.each.kept:
        gaps |= _gaps_of(each.verdict)
    number = {gap: index for index, gap in enumerate(gaps)}
    return json.dumps(
        {
            "events": outcome.events,
            "labelled": outcome.labelled,
            "rules": [*map(_rule, rules)],
            "labels": _labels(outcome.occurrences, sessions=True),
            "overall": {"verdict": outcome.verdict},
            "sessions": {
                "count": outcome.sessions,
                "verdicts": {kind or "none": many for kind, many in outcome.verdicts.items()},
                "undecided": outcome.undecided,
                "not_judged": outcome.unjudged,
                "worst": [_judged(one) for one in outcome.worst],
                "problems": [*outcome.problems],
            },
            "kinds": [_example(example, number) for example in outcome.kinds],
            **(_each(outcome, number) if outcome.called == INSTANCE else {}),
            **({"verdicts_of_other_kinds": outcome.others} if outcome.others else {}),
            "gaps": [_gap(gap) for gap in number],
            "gap_count": outcome.gap_count,
            **({"late": [number[gap] for gap in outcome.late]} if outcome.late else {}),
            **_to_record((example.verdict for example in outcome.kinds), outcome.occurrences),
            "diagnostics": _diagnostics(counts, diagnostics),
        },
        separators=(",", ":"),
    )


def _rule(rule: RuleResult) -> dict[str, Any]:
    return {
        "rule": rule.number,
        **({"stated": rule.stated.plain()} if rule.stated else {}),
        "steps": [*map(str, rule.sequence)],
        "result": rule.word,
        "farthest": rule.farthest,
        "sessions_by_steps": [*rule.far],
    }


def _to_record(
    verdicts: Iterable[AuditVerdict | Overall], occurrences: Occurrences
) -> dict[str, list[str]]:
    told = to_record(verdicts, occurrences)
    return {"to_record": [*told]} if told else {}


def _labels(occurrences: Occurrences, *, sessions: bool = False) -> list[dict[str, Any]]:
    return [
        {
            "label": str(each.label),
            "events": each.events,
            **({"sessions": each.sessions} if sessions else {}),
            **(
                {"nearest": {"label": str(each.nearest), "events": each.nearest_events}}
                if each.nearest
                else {}
            ),
        }
        for each in occurrences.of_labels()
    ]


def _judged(one: Judged) -> dict[str, Any]:
    return {
        "session": one.name,
        "verdict": one.verdict,
        "violated": one.violated,
        "possibly_violated": one.possible,
        "undecided": one.undecided,
        "events": one.events,
        **_for(one.binding),
    }


def _example(example: Example, number: Mapping[Gap, int]) -> dict[str, Any]:
    kind, verdict = example.kind, example.verdict
    told: dict[str, Any] = {
        "verdict": kind.verdict,
        "undecided": kind.undecided,
        **({"rule": kind.rule} if kind.rule else {}),
        "sequence": [
            {"label": step.label, **({"unseen": True} if step.unseen else {})}
            for step in kind.steps
        ],
    }
    if kind.instead:
        told["unseen_against"] = [*kind.instead]
    told |= {
        "sessions": example.sessions,
        "verdicts": example.verdicts,
        "names": [*example.names],
    }
    if isinstance(verdict, AuditVerdict):
        told["example"] = _verdict(verdict, number)
    else:
        told["example"] = {"session": example.name, **_overall(verdict, number)}
    told["example"] |= _for(example.binding)
    return told


def _each(outcome: SessionsOutcome, number: Mapping[Gap, int]) -> dict[str, Any]:
    """Verdicts of instances, one by one."""
    told: dict[str, Any] = {
        "verdicts": [
            {
                **(
                    _verdict(verdict, number)
                    if isinstance(verdict, AuditVerdict)
                    else _overall(verdict, number)
                ),
                **_for(binding),
            }
            for binding, verdict in outcome.each.kept
        ]
    }
    if outcome.each.others:
        told["verdicts_not_kept"] = dict(outcome.each.others)
    return told


def _for(binding: Binding) -> dict[str, Any]:
    return {"for": dict(binding)} if binding else {}


def _diagnostics(counts: Mapping[str, int], diagnostics: Sequence[Diagnostic]) -> dict[str, Any]:
    return {
        "counts": dict(sorted(Counter(counts).items())),
        "first": [
            {"kind": each.kind, "message": each.message, **_place("place", each.place)}
            for each in diagnostics
        ],
    }


def _all_gaps(outcome: Outcome) -> dict[Gap, None]:
    """The gaps of the outcome first; also such as were too many to be kept in it."""
    gaps = dict.fromkeys((*outcome.gaps, *outcome.late))
    judged: tuple[AuditVerdict | Overall, ...] = (outcome.overall, *outcome.verdicts)
    for verdict in judged:
        gaps |= _gaps_of(verdict)
    return gaps


def _gaps_of(verdict: AuditVerdict | Overall) -> dict[Gap, None]:
    """The gaps that it names itself, and those in its orders."""
    orders = (order for order in (verdict.formed, verdict.not_formed) if order is not None)
    unseen = (each.gap for order in orders for each in order.events if isinstance(each, Unseen))
    return dict.fromkeys((*verdict.gaps, *unseen))


def _verdict(verdict: AuditVerdict, number: Mapping[Gap, int]) -> dict[str, Any]:
    event, label = verdict.item.event, verdict.item.label
    assert event is not None
    return {
        "verdict": verdict.kind,
        "process": event.process,
        "label": str(label),
        **_place("place", event.place),
        **({"session": event.session} if event.session else {}),
        **_reasons(verdict, number),
    }


def _overall(overall: Overall, number: Mapping[Gap, int]) -> dict[str, Any]:
    return {"verdict": overall.kind, **_reasons(overall, number)}


def _reasons(verdict: AuditVerdict | Overall, number: Mapping[Gap, int]) -> dict[str, Any]:
    return {
        **({"rule": verdict.rule.plain()} if verdict.rule else {}),
        **({"undecided": True, "reason": verdict.reason} if verdict.undecided else {}),
        **({"gaps": [number[gap] for gap in verdict.gaps]} if verdict.gaps else {}),
        **_order("order_for", verdict.formed, number),
        **_order("order_against", verdict.not_formed, number),
    }


def _order(key: str, order: Order | None, number: Mapping[Gap, int]) -> dict[str, Any]:
    if order is None:
        return {}
    events = []
    for each in order.events:
        if isinstance(each, Unseen):
            at = {"process": each.gap.process, "label": str(each.label)}
            events.append({**at, "gap": number[each.gap]})
        elif each.event is not None:
            at = {"process": each.event.process, "label": str(each.label)}
            events.append({**at, **_place("place", each.event.place)})
    told: dict[str, Any] = {"events": events}
    if order.formed:
        told["formed"] = list(order.formed)
    if order.cut_off:
        told["cut_off"] = True
    return {key: told}


def _gap(gap: Gap) -> dict[str, Any]:
    return {
        "process": gap.process,
        "reason": gap.reason,
        **_place("after", gap.after),
        **_place("before", gap.before),
    }


def _place(key: str, place: Place | None) -> dict[str, Any]:
    if place is None or not place.file:
        return {}
    return {key: {"file": place.file, **({"line": place.line} if place.line else {})}}
