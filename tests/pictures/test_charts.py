from __future__ import annotations

from itertools import combinations

import pytest
from examples_to_draw import Area, area_of, texts, written
from hypothesis import given
from hypothesis import strategies as st

from choreomon.pictures.shapes.charts import Bar, bar_chart, bin_width, histogram
from choreomon.pictures.shapes.drawing import INK, Box, Drawing, flattened


def test_bars_are_as_long_as_their_values() -> None:
    picture = bar_chart("Runs", [Bar("violated", 10, INK), Bar("nothing", 5, INK)])
    long, short = [s.width for s in flattened(picture.drawing.shapes) if isinstance(s, Box)]
    assert long == pytest.approx(2 * short)
    assert {"violated", "10", "nothing", "5"} <= set(written(picture.drawing))


@given(st.lists(st.tuples(st.text("mW ", max_size=40), st.floats(0, 1e9)), max_size=8))
def test_no_text_of_bars_is_written_over_another_one_or_a_bar(
    named: list[tuple[str, float]],
) -> None:
    drawing = bar_chart("Runs", [Bar(name, value, INK) for name, value in named]).drawing
    areas = [area_of(text) for text in texts(drawing)]
    areas += [
        Area(box.at.x, box.at.y, box.at.x + box.width, box.at.y + box.height)
        for box in flattened(drawing.shapes)
        if isinstance(box, Box)
    ]
    assert len(areas) == 1 + 3 * len(named)
    assert not any(one.overlaps(other) for one, other in combinations(areas, 2))
    assert all(area.left >= 0 and area.right <= drawing.width for area in areas)
    assert all(area.top >= 0 and area.bottom <= drawing.height for area in areas)


def test_bars_that_are_all_zero_can_be_drawn() -> None:
    assert bar_chart("Runs", [Bar("none", 0, INK)]).structure["bars"] == [["none", 0]]


def test_a_histogram_counts_values_into_round_bins() -> None:
    structure = histogram("Latency", [0.0, 1.0, 9.9, 10.0, 100.0]).structure
    assert structure["edges"] == list(range(0, 120, 10))
    assert structure["counts"] == [3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1]


def test_values_that_are_all_the_same_make_one_bin() -> None:
    assert histogram("x", [7.0, 7.0]).structure == {"title": "x", "edges": [7, 8], "counts": [2]}


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=30))
def test_every_value_is_counted_once_and_bins_are_few(values: list[float]) -> None:
    counts = histogram("x", values).structure["counts"]
    assert sum(counts) == len(values)
    assert len(counts) <= 12


def check_texts(drawing: Drawing) -> None:
    areas = [area_of(text) for text in texts(drawing)]
    assert not any(one.overlaps(other) for one, other in combinations(areas, 2))
    assert all(area.left >= 0 and area.right <= drawing.width for area in areas)


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=30), st.text("mW ", max_size=12))
def test_no_text_of_a_histogram_leaves_the_canvas_or_is_written_over_another_one(
    values: list[float], unit: str
) -> None:
    check_texts(histogram("x", values, unit).drawing)


def test_the_highest_count_has_room_however_many_digits_it_has() -> None:
    check_texts(histogram("x", [1.0] * 100_000).drawing)


@pytest.mark.parametrize("places", range(-12, 13))
def test_a_value_at_the_lower_end_of_a_bin_is_in_it(places: int) -> None:
    """0.3 is below three times 0.1 as floats are multiplied."""
    value = places / 10
    structure = histogram("x", [value, value + 0.05, value + 0.95]).structure
    assert structure["edges"][0] == value
    assert structure["counts"][0] == 2


@pytest.mark.parametrize(
    ("values", "width"),
    [([0, 11.5], 1), ([0, 12], 2), ([0.5, 12.4], 2), ([0, 5.9], 0.5), ([-0.1, 0.1], 0.02)],
)
def test_bins_are_as_narrow_as_twelve_can_be(values: list[float], width: float) -> None:
    assert float(bin_width(values)) == width


@given(st.lists(st.integers(0, 40), min_size=1, max_size=60))
def test_bins_are_drawn_as_high_as_their_counts(values: list[int]) -> None:
    picture = histogram("x", values)
    counts = picture.structure["counts"]
    boxes = [shape for shape in flattened(picture.drawing.shapes) if isinstance(shape, Box)]
    filled = [(box, count) for box, count in zip(boxes, counts, strict=True) if count]
    assert len({round(box.at.y + box.height, 6) for box, _ in filled}) == 1
    highest = max(box.height for box, _ in filled)
    (said,) = [text for text in texts(picture.drawing) if text.anchor == "end"]
    assert said.content == str(max(counts))  # it stands at the top of the highest bar
    assert said.at.y - 10 == pytest.approx(min(box.at.y for box in boxes))
    for box, count in filled:
        assert box.height == pytest.approx(highest * count / max(counts))


@given(st.floats(-1e9, 1e9), st.floats(1e-3, 1e9))
def test_no_text_of_a_histogram_is_written_over_another_one(least: float, spread: float) -> None:
    drawing = histogram("Runs", [least, least + spread], " ms").drawing
    areas = [area_of(text) for text in texts(drawing)]
    assert len(areas) > 2
    assert not any(one.overlaps(other) for one, other in combinations(areas, 2))
    assert all(area.left >= 0 and area.right <= drawing.width for area in areas)


@given(st.lists(st.floats(0, 1e6), min_size=2, max_size=9))
def test_a_bin_is_1_2_or_5_times_a_power_of_ten_wide(values: list[float]) -> None:
    digits = f"{float(bin_width(values)):e}".partition("e")[0]
    assert float(digits) in (1, 2, 5)


def test_values_that_hardly_differ_share_a_bin() -> None:
    assert histogram("x", [1e9, 1e9 + 1e-6]).structure["counts"] == [2]
    assert histogram("x", [0.0, 5e-324]).structure["counts"] == [2]
