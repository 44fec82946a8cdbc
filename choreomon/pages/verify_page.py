"""Build the page about logs that were verified: how many fit, and why each other one does not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from choreomon.pages.page import (
    Section,
    as_html,
    figure,
    folded,
    header,
    page,
    section,
    table,
)
from choreomon.pictures.interactions.failure_diagram import failure_diagram
from choreomon.pictures.shapes.drawing import Picture
from choreomon.sentences.fault_sentences import fault_sentences, fault_words
from choreomon.sentences.kinds import kinds
from choreomon.sentences.wording import counted
from choreomon.terminal.outcomes import component_reached, why
from choreomon.verify.outcome import Conclusion, Outcome

MAX_SHOWN: Final = 20
"""The most runs with a picture, the worst first."""

MAX_NAMED: Final = 5
"""The most runs that a row of the table names."""

MAX_LISTED: Final = 2_000
"""The most runs listed one by one."""

_GRAVITY: Final[dict[Conclusion, int]] = {
    "failed": 0,
    "bad input": 1,
    "inconclusive": 2,
    "passed": 3,
}
_TONES: Final = {"failed": "violated", "bad input": "violated", "inconclusive": "possibly"}


def verify_page(
    protocol: str,
    outcomes: Sequence[Outcome],
    facts: Sequence[tuple[str, str]],
    made_with: Sequence[tuple[str, str]] = (),
    told: Sequence[str] = (),
) -> str:
    """A whole HTML page. `protocol` is the file that says what should happen, `told` are sentences
    below the headline. Equal results are one row with a count; `MAX_SHOWN` runs that do not fit are
    shown with their explanations, if they have any."""
    result = fit_headline([outcome.conclusion for outcome in outcomes], protocol)
    worst = min((outcome.conclusion for outcome in outcomes), key=_GRAVITY.__getitem__)
    unfit = [one for one in outcomes if one.conclusion != "passed"]
    unfit.sort(key=lambda one: _GRAVITY[one.conclusion])
    shown = [part for one in unfit[:MAX_SHOWN] for part in outcome_parts(one)]
    if len(unfit) > MAX_SHOWN:
        shown.append(
            f'<p class="note">{counted(len(unfit) - MAX_SHOWN, "more run")} in the table.</p>'
        )
    body: list[str | Section] = [
        header(_TONES.get(worst, "quiet"), f"Logs against {protocol}", result, told),
        section("What does not fit", shown) if shown else "",
        section("Results", [_results(outcomes)]),
    ]
    return page(f"{result} {protocol}", body, (*facts, *made_with))


def verified_sessions_page(
    protocol: str,
    counts: Mapping[str | None, int],
    failed: Sequence[Outcome],
    facts: Sequence[tuple[str, str]],
    made_with: Sequence[tuple[str, str]] = (),
) -> str:
    """The page about sessions that were judged together: how many are of which verdict (None: not
    judged), and why the first of those that `failed` do not fit."""
    total, unfit = sum(counts.values()), counts.get("Fail", 0)
    unknown, unread = counts.get("Inconc", 0), counts.get(None, 0)
    told = [f"{unfit:,} of {counted(total, 'session')} {'does' if unfit == 1 else 'do'} not fit"]
    if not unfit:
        told = [] if unknown or unread else [f"All of {counted(total, 'session')} fit"]
    if unknown:
        told.append(f"of {unknown:,} it is not known")
    if unread:
        told.append(f"{unread:,} of {counted(total, 'session')} not judged")
    result = f"{'; '.join(told)}."
    tone = "violated" if unfit or unread else "possibly" if unknown else "quiet"
    rows = [(verdict or "not judged", f"{number:,}") for verdict, number in counts.items()]
    shown = [part for one in failed for part in outcome_parts(one)]
    if failed and unfit > len(failed):
        shown.append(f'<p class="note">{counted(unfit - len(failed), "more session")}.</p>')
    body: list[str | Section] = [
        header(tone, f"Sessions against {protocol}", result),
        section("What does not fit", shown) if shown else "",
        section("Results", [table(("verdict", "sessions"), rows)]),
    ]
    return page(f"{result} {protocol}", body, (*facts, *made_with))


def fit_headline(conclusions: Iterable[Conclusion], protocol: str) -> str:
    """A sentence on how many runs fit, what is wrong first."""
    every = list(conclusions)
    of = f"of {counted(len(every), 'run')}"
    unfit, unread, unknown = (every.count(one) for one in ("failed", "bad input", "inconclusive"))
    told = []
    if unfit:
        told.append(f"{unfit:,} {of} {'does' if unfit == 1 else 'do'} not fit {protocol}")
    if unread:
        told.append(f"{unread:,} {of} cannot be read")
    if unknown:
        told.append(f"of {unknown:,} it is not known")
    if not told:
        return "The run fits." if len(every) == 1 else f"All {len(every):,} runs fit {protocol}."
    return f"{'; '.join(told)}."


def outcome_parts(outcome: Outcome) -> list[str]:
    """Parts on a run that does not fit: its verdict, whom it blames, why, and the picture of
    that."""
    verdict = outcome.conclusion if outcome.answer is None else outcome.answer.verdict.value
    heading = f"{verdict}: {outcome.trace}"
    sentences = [] if outcome.fault is None else fault_sentences(outcome.fault)
    if outcome.answer is None:
        sentences.append(outcome.problem)
    elif outcome.answer.reason:
        sentences.append(f"Reason: {outcome.answer.reason}.")
    if outcome.explanation is not None:
        sentences += why(outcome.explanation)
    if outcome.fits_late:
        sentences.append("It would fit if logs may begin late: try --mode slice.")
    told = "".join(f"<li>{as_html(sentence.strip())}</li>" for sentence in sentences)
    picture = _picture(outcome)
    shown = "" if picture is None else figure(picture, focus=picture.structure["look_at"])
    tone = _TONES.get(outcome.conclusion, "quiet")
    return [
        f'<article><h3 class="{tone}">{as_html(heading)}</h3>'
        f'<div class="finding"><div><ul>{told}</ul></div>{shown}</div></article>'
    ]


def _picture(outcome: Outcome) -> Picture | None:
    found = outcome.explanation
    if found is None or found.failure is None:
        return None
    others = [one.next_action for one in found.others]
    return failure_diagram((component_reached(one, outcome.fault) for one in found.failure), others)


def _results(outcomes: Sequence[Outcome]) -> str:
    """A table with a row for each different result, the worst first."""

    def told(outcome: Outcome) -> tuple[str, str, str]:
        answer = outcome.answer
        if answer is None:
            return "bad input", "", ""
        blamed = "" if outcome.fault is None else fault_words(outcome.fault)
        return answer.verdict.value, answer.reason, blamed

    rows = []
    ordered = sorted(outcomes, key=lambda one: _GRAVITY[one.conclusion])
    for kind in kinds(ordered, told):
        names = [kind.first.trace, *(one.trace for one in kind.others)]
        listed = ", ".join(names[:MAX_NAMED]) + (", .." if len(names) > MAX_NAMED else "")
        rows.append((*kind.key, f"{len(names):,}", listed))
    columns = ("verdict", "reason", "fault", "runs", "which")
    kept = [place for place in range(5) if place not in (1, 2) or any(row[place] for row in rows)]
    parts = table([columns[at] for at in kept], [[row[at] for at in kept] for row in rows])
    if len(outcomes) <= len(rows) * MAX_NAMED:
        return parts
    every = [(one.trace, told(one)[0]) for one in ordered[:MAX_LISTED]]
    return parts + folded(f"The first {len(every):,} runs", [table(("run", "verdict"), every)])
