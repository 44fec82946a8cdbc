"""`choreomon draw --run`: which of a run is drawn, and its picture."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from choreomon.core.run import Run, RunEvent, RunFormation, RunVerdict
    from choreomon.documents.read import Document
    from choreomon.pictures.shapes.drawing import Picture
    from choreomon.pictures.space_time.highlights import Highlight
    from choreomon.pictures.space_time.window import View

MOST_DRAWN: Final = 2000
"""Events in a picture; so many take some ten seconds."""


def view_of(*, everything: bool, first: int | None, last: int | None) -> View:
    """Return the view that `--all`, `--from` and `--to` ask for. Raises `UsageError` if they do not
    go together."""
    from choreomon.pictures.space_time.window import View

    if first is None and last is None:
        return View(everything=everything)
    if everything:
        raise click.UsageError("--all and a stretch of events are two pictures: leave one out")
    stretch = (first or 0, sys.maxsize if last is None else last)
    if stretch[0] > stretch[1]:
        raise click.UsageError(f"--from {first} lies behind --to {last}: no event is between them")
    return View(stretch=stretch)


def check_view(view: View, events: Sequence[RunEvent]) -> None:
    """Raises `ClickException` where nothing lies in the stretch that is wanted, and where more is
    wanted than a picture holds."""
    if not events or not (view.everything or view.stretch):
        return
    first, last = view.stretch or (0, sys.maxsize)
    wanted = sum(first <= event.index <= last for event in events)
    numbered = f"events are numbered from {events[0].index:,} to {events[-1].index:,}"
    if not wanted:
        raise click.ClickException(f"no event lies between --from and --to: {numbered}")
    if wanted > MOST_DRAWN:
        raise click.ClickException(
            f"{wanted:,} events are more than a picture holds, which is {MOST_DRAWN:,}: say which "
            f"by --from and --to; {numbered}"
        )


def run_pictures(
    run: Run, document: Document, event: int | None, view: View
) -> tuple[Picture, str]:
    """The run as a picture and as a Mermaid diagram, with the verdict about `event` marked, or
    without one with the gravest. Raises `BadParameter` where there is none about it, and
    `ClickException` as `check_view`."""
    from choreomon.pictures.as_text.mermaid import run_sequence_diagram
    from choreomon.pictures.space_time.diagram import space_time_picture
    from choreomon.pictures.space_time.window import kept_events

    check_view(view, run.kept_events)
    verdict, unsaid = _shown(run) if event is None else _about(run, event)
    highlights = _highlights(run, verdict, unsaid, document)
    labels = () if document.property is None else document.property.automaton.labels
    judged = [verdict.event_index for verdict in run.verdicts]
    view = view._replace(kept=kept_events(run.kept_events, labels, judged))
    picture = space_time_picture(
        run.kept_events,
        run.processes,
        highlights,
        verdict=verdict,
        missed=None if unsaid is None else unsaid.event_index,
        view=view,
        messages=run.kept_messages,
    )
    mermaid = run_sequence_diagram(run.kept_events, run.processes, highlights, run.verdicts, view)
    return picture, mermaid


def _shown(run: Run) -> tuple[RunVerdict | None, RunFormation | None]:
    """The gravest verdict, of equal ones the first about what was really formed there; where there
    is none, what was, and no monitor said so."""
    from choreomon.sentences.summary import missed, worst_verdict

    kind = worst_verdict(run)
    formed = {(each.event_index, each.rule) for each in run.formed or ()}
    gravest = [verdict for verdict in run.verdicts if verdict.verdict == kind]
    if not gravest:
        return None, next(iter(missed(run)), None)
    return min(gravest, key=lambda each: (each.event_index, each.rule) not in formed), None


def _about(run: Run, event: int) -> tuple[RunVerdict | None, RunFormation | None]:
    """Return the verdict on an event, or the sequence that was formed there and missed by the
    monitors. Raises `BadParameter` for other events."""
    from choreomon.core.suggestion import listed
    from choreomon.sentences.summary import missed

    for verdict in run.verdicts:
        if verdict.event_index == event:
            return verdict, None
    unsaid = {each.event_index: each for each in missed(run)}
    if event in unsaid:
        return None, unsaid[event]
    known = sorted({*(verdict.event_index for verdict in run.verdicts), *unsaid})
    raise click.BadParameter(
        f"there is no verdict about event {event}; there are some about "
        f"{listed([*map(str, known)])}",
        param_hint="--event",
    )


def _highlights(
    run: Run, verdict: RunVerdict | None, unsaid: RunFormation | None, document: Document
) -> tuple[Highlight, ...]:
    from choreomon.pictures.space_time.highlights import highlights_in_run, highlights_of_missed

    if unsaid is not None:
        return highlights_of_missed(unsaid)
    if verdict is None:
        return ()
    assert document.property is not None  # without one there are no verdicts
    return highlights_in_run(run, verdict, document.property.automaton)
