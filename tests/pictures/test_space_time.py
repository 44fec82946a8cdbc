from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise
from math import dist
from random import Random

import pytest
from examples_to_draw import (
    EVENTS,
    POSSIBLY,
    PROCESSES,
    VIOLATED,
    Area,
    area_of,
    events,
    texts,
    titled,
    written,
)

from choreomon.core.run import RunEvent
from choreomon.pictures.shapes import drawing as colours
from choreomon.pictures.shapes.drawing import Box, Circle, Group, Polygon, Polyline, Text
from choreomon.pictures.space_time.diagram import space_time_picture
from choreomon.pictures.space_time.highlights import Highlight, highlights_of
from choreomon.pictures.space_time.window import View


def random_run(seed: int, processes: int, length: int) -> tuple[RunEvent, ...]:
    random = Random(seed)
    script: list[str] = []
    waiting: list[int] = []
    for index in range(length):
        if waiting and random.random() < 0.5:
            script.append(f"{waiting.pop(random.randrange(len(waiting)))}!")
            continue
        sender, receiver = random.sample(range(1, processes + 1), 2)
        script.append(f"P{sender}>P{receiver}:{random.choice(['pay', 'ship', 'cancelOrder'])}")
        waiting.append(index)
    return events(*script)


def test_the_environment_has_a_line_only_where_it_sends_something_shown() -> None:
    assert space_time_picture(EVENTS, PROCESSES).structure["processes"] == ["env", *PROCESSES]
    without = events("P1>P2:turnOff", "0!")
    assert space_time_picture(without, PROCESSES).structure["processes"] == ["P1", "P2"]


def test_events_stand_from_left_to_right_in_their_real_order() -> None:
    drawn = space_time_picture(EVENTS, PROCESSES).structure["events"]
    assert [event["index"] for event in drawn] == list(range(7))
    assert all(after["x"] - before["x"] > 20 for before, after in pairwise(drawn))


def test_every_message_leads_from_its_sending_to_its_handling() -> None:
    drawn = space_time_picture(EVENTS, PROCESSES).structure["messages"]
    assert [(m["name"], m["sent_at"], m["handled_at"], m["status"]) for m in drawn] == [
        ("leave", None, 0, "delivered"),
        ("turnOff", 1, 3, "delivered"),
        ("turnOn", 2, 5, "delivered"),
        ("resume", 4, 6, "delivered"),
    ]


def test_a_message_that_is_never_handled_is_dashed_and_says_where_it_goes() -> None:
    picture = space_time_picture(events("P1>P2:turnOff"), PROCESSES)
    assert picture.structure["messages"][0]["status"] == "in flight"
    (group,) = titled(picture.drawing, "P1 -> P2 : turnOff\nsent at event 0\nstill")[:1]
    assert any(isinstance(shape, Polyline) and shape.dashed for shape in group.shapes)
    assert "turnOff → P2" in written(picture.drawing)


def test_the_sequence_is_numbered_and_the_cancellation_is_marked() -> None:
    picture = space_time_picture(EVENTS, PROCESSES, highlights_of(POSSIBLY), verdict=POSSIBLY)
    marked = {e["index"]: (e["role"], e["step"]) for e in picture.structure["events"] if e["role"]}
    assert marked == {1: ("step", 1), 4: ("cancellation", None), 5: ("judged", 2)}
    assert [m["name"] for m in picture.structure["messages"] if m["marked"]] == [
        "turnOff",
        "turnOn",
        "resume",
    ]
    assert "message that may cancel a step" in written(picture.drawing)


def test_the_banner_of_a_verdict_covers_no_words_about_gaps() -> None:
    run = events(*["P1>P2:a"] * 60)
    for judged in range(4, 56, 4):
        verdict = replace(POSSIBLY, event_index=judged)
        highlights = [Highlight(judged, "judged")]
        drawing = space_time_picture(
            run, PROCESSES, highlights, verdict=verdict, view=View(bound=6)
        ).drawing
        banner = next(s for s in drawing.shapes if isinstance(s, Box))
        below = banner.at.y + banner.height
        gaps = [
            text for text in texts(drawing) if text.content == "not shown" or "–" in text.content
        ]
        assert gaps
        assert all(area_of(text).top >= below for text in gaps)


def test_an_earlier_step_is_a_rim_with_its_number_and_the_legend_says_what_that_means() -> None:
    words = "step that may have come earlier"
    for first, fill in (
        (Highlight(1, "earlier", 1), colours.PAPER),
        (Highlight(1, "step", 1), colours.POSSIBLY),
    ):
        highlights = [first, Highlight(5, "judged", 2)]
        drawing = space_time_picture(EVENTS, PROCESSES, highlights, verdict=POSSIBLY).drawing
        (group,) = (
            shape
            for shape in drawing.shapes
            if isinstance(shape, Group) and shape.title.startswith("event 1:")
        )
        dot, number = group.shapes
        assert isinstance(dot, Circle)
        assert isinstance(number, Text)
        assert (dot.fill, dot.colour, number.content) == (fill, colours.POSSIBLY, "1")
        assert number.colour != fill
        assert (words in written(drawing)) == (first.role == "earlier")


def test_steps_of_a_verdict_that_is_not_sure_are_said_to_be_in_question() -> None:
    withdrawn = replace(POSSIBLY, verdict="withdrawn")
    for verdict, words in (
        (POSSIBLY, "possible step of the forbidden sequence"),
        (VIOLATED, "step of the forbidden sequence"),
        (withdrawn, "step that turned out not to count"),
    ):
        picture = space_time_picture(EVENTS, PROCESSES, highlights_of(verdict), verdict=verdict)
        assert words in written(picture.drawing)


def test_the_judged_event_has_a_ring_of_the_colour_of_the_verdict() -> None:
    for verdict, colour in ((VIOLATED, colours.VIOLATED), (POSSIBLY, colours.POSSIBLY)):
        picture = space_time_picture(EVENTS, PROCESSES, highlights_of(verdict), verdict=verdict)
        (judged,) = titled(picture.drawing, f"event {verdict.event_index}:")
        rims = [shape for shape in judged.shapes if isinstance(shape, Circle)]
        assert [rim.colour for rim in rims] == [colour, colour]


def test_the_verdict_is_written_above_with_its_monitor_and_time() -> None:
    picture = space_time_picture(EVENTS, PROCESSES, highlights_of(VIOLATED), verdict=VIOLATED)
    assert "violated, declared by P1 at 2.5 ms" in written(picture.drawing)
    assert "P1 declares violated at event 2" in picture.drawing.title


def test_events_that_are_not_in_question_are_faded_only_beside_marked_ones() -> None:
    def colour(highlights: tuple[Highlight, ...]) -> str:
        (group,) = titled(space_time_picture(EVENTS, PROCESSES, highlights).drawing, "event 6:")
        (circle,) = group.shapes
        assert isinstance(circle, Circle)
        return circle.colour

    assert colour(()) == colours.INK
    assert colour((Highlight(1, "judged"),)) == colours.FAINT


def test_a_long_run_is_cut_and_the_picture_says_what_it_leaves_out() -> None:
    run = events(*["P1>P2:ping"] * 500)
    picture = space_time_picture(run, PROCESSES, [Highlight(250, "judged")], view=View(bound=9))
    (first, last) = picture.structure["not_shown"]
    assert first[0] == 0
    assert last[1] == 499
    note = next(text for text in written(picture.drawing) if "Not shown" in text)
    assert f"events 0–{first[1]}, {last[0]}–499." in note
    assert len(picture.structure["events"]) == 9


def test_a_message_whose_other_end_is_cut_off_is_drawn_as_cut() -> None:
    run = events("P1>P2:m", *["P2>P3:noise"] * 50, "0!")
    picture = space_time_picture(run, PROCESSES, view=View(bound=10))
    assert picture.structure["messages"][0] == {
        "name": "m",
        "sender": "P1",
        "receiver": "P2",
        "sent_at": 0,
        "handled_at": 51,
        "status": "cut",
        "marked": False,
    }


def test_a_message_to_oneself_is_an_arc_above_the_line() -> None:
    picture = space_time_picture(events("P1>P1:again", "0!"), PROCESSES)
    (group, *_) = titled(picture.drawing, "P1 -> P1 : again")
    assert not isinstance(group.shapes[0], Polyline)


def test_a_run_whose_events_were_not_kept_says_so() -> None:
    picture = space_time_picture((), PROCESSES, highlights_of(VIOLATED), verdict=VIOLATED)
    assert picture.structure["events"] == []
    assert any("not kept" in text for text in written(picture.drawing))


@pytest.mark.parametrize("seed", range(8))
def test_no_text_overlaps_another_or_leaves_the_canvas(seed: int) -> None:
    processes = 3 + seed % 5
    run = random_run(seed, processes, 60)
    highlights = [
        Highlight(20, "step", 1),
        Highlight(25, "cancellation"),
        Highlight(30, "judged", 2),
    ]
    drawing = space_time_picture(
        run, [f"P{n}" for n in range(1, processes + 1)], highlights
    ).drawing
    areas = [(text.content, area_of(text)) for text in texts(drawing)]
    assert [
        (one, other)
        for (one, first), (other, second) in combinations(areas, 2)
        if first.overlaps(second)
    ] == []
    canvas = Area(0, 0, drawing.width, drawing.height)
    assert [
        content
        for content, area in areas
        if area.left < canvas.left
        or area.right > canvas.right
        or area.top < canvas.top
        or area.bottom > canvas.bottom
    ] == []


def test_the_times_of_marked_events_beside_each_other_have_the_room_that_they_need() -> None:
    run = [replace(event, time=123_456_789 + event.time) for event in EVENTS]
    highlights = [Highlight(event.index, "step", event.index + 1) for event in run]
    drawing = space_time_picture(run, PROCESSES, highlights).drawing
    bold = [text for text in texts(drawing) if text.bold and text.content.startswith("123,4")]
    assert len(bold) == len(run)
    areas = [area_of(text) for text in texts(drawing)]
    assert not any(one.overlaps(other) for one, other in combinations(areas, 2))


def test_an_arrow_ends_at_the_rim_of_its_event_however_large_that_is() -> None:
    for highlights, radius in (((), 6), ((Highlight(3, "step"),), 11)):
        drawing = space_time_picture(EVENTS, PROCESSES, highlights).drawing
        (arrow, *_) = titled(drawing, "P1 -> P2 : turnOff")
        (event,) = titled(drawing, "event 3:")
        head, circle = arrow.shapes[1], event.shapes[0]
        assert isinstance(head, Polygon)
        assert isinstance(circle, Circle)
        assert dist(head.points[0], circle.centre) == pytest.approx(radius)


def test_every_event_tells_its_name_its_time_and_its_clock() -> None:
    (group,) = titled(space_time_picture(EVENTS, PROCESSES).drawing, "event 1:")
    assert isinstance(group, Group)
    assert group.title == "event 1: send P1 -> P2 : turnOff\n1 ms, clock of P1 []"


def test_every_shown_event_has_its_number_and_its_time() -> None:
    run = tuple(replace(event, time=1_234_567 * event.index) for event in random_run(3, 4, 60))
    picture = space_time_picture(run, ("P1", "P2", "P3", "P4"), view=View(everything=True))
    content = written(picture.drawing)
    shown = picture.structure["events"]
    assert len(shown) == len(run)
    for event in run:
        assert str(event.index) in content
        assert f"{event.time / 1000:,.3f}".rstrip("0").rstrip(".") in content


def test_processes_at_which_nothing_shown_happens_are_named_and_have_no_line() -> None:
    run = events("P1>P2:m", "0!")
    many = ("P1", "P2", *(f"Idle{number}" for number in range(7)))
    picture = space_time_picture(run, many)
    assert picture.structure["processes"] == ["P1", "P2"]
    assert picture.structure["idle"] == list(many[2:])
    note = " ".join(written(picture.drawing))
    assert "Nothing shown happens at Idle0, Idle1, Idle2, Idle3, Idle4 and 2 more" in note
    whole = space_time_picture(run, many, view=View(everything=True))
    assert whole.structure["processes"] == list(many)
    assert whole.structure["idle"] == []


def test_the_receiver_of_a_message_on_its_way_has_a_line() -> None:
    picture = space_time_picture(events("P1>P2:m"), PROCESSES)
    assert picture.structure["processes"] == ["P1", "P2"]


def test_events_of_the_property_that_a_picture_cannot_show_are_counted() -> None:
    run = events(*["P1>P2:ping"] * 300)
    view = View(kept=frozenset(range(300)), most=50)
    picture = space_time_picture(run, PROCESSES, [Highlight(250, "judged")], view=view)
    assert len(picture.structure["events"]) == 50
    assert "250 of the events not shown are named by the property." in " ".join(
        written(picture.drawing)
    )
