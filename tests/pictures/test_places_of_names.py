"""Names of messages beside and on their arrows."""

from __future__ import annotations

import pytest

from choreomon.pictures.shapes.drawing import Point
from choreomon.pictures.space_time.labels import Segment, place_labels
from choreomon.pictures.space_time.ways import Way

WIDTH = 100.0
EDGE = 60.0
UP = Way(Point(70, 200), Point(90, 150))


@pytest.mark.parametrize("at_head", [False, True])
@pytest.mark.parametrize("beside", [Point(150, 150), Point(400, 400)])
def test_no_name_stands_over_the_names_of_processes(at_head: bool, beside: Point) -> None:
    wanted = [Segment(UP, WIDTH, important=True, at_head=at_head)]
    circles = [(beside, 12.0)]
    (free,) = place_labels(wanted, [], circles)
    (placed,) = place_labels(wanted, [], circles, EDGE)
    assert free is not None
    assert placed is not None
    assert placed.x - WIDTH / 2 > EDGE
    stands_at_head = at_head and beside.x > 300
    assert (free.x - WIDTH / 2 > EDGE) == stands_at_head, "else nothing had to be moved"


def test_a_name_that_matters_less_is_left_out_where_it_has_no_room() -> None:
    assert place_labels([Segment(UP, WIDTH, important=False)], [], [], EDGE) == [None]
