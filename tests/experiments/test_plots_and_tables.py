"""Plots and tables of experiments, by what they say they show."""

from __future__ import annotations

import pytest

from choreomon.experiments.offline.multiprefix import (
    Distribution,
    Measurement,
    Procedures,
    TimeoutTable,
)
from choreomon.experiments.offline.slices import PUBLISHED, SliceMeasurement, slice_rows
from choreomon.experiments.results.plots import outline, point_picture, violin_picture
from choreomon.experiments.results.tables import slice_table, timeout_table, wrong_list
from choreomon.pictures.shapes.drawing import VIOLATED, Circle, Polygon
from choreomon.pictures.shapes.svg import svg_document
from choreomon.verify.verdict import Verdict


def test_violins_say_quartiles_by_method_group_and_verdict() -> None:
    picture = violin_picture(
        "Times",
        [
            Distribution("POR", "1-6", True, (1.0, 2.0, 3.0, 4.0, 5.0)),
            Distribution("POR", "1-6", False, (7.0,)),
        ],
        "s",
    )
    first, second = picture.structure["violins"]
    assert first == {
        "method": "POR",
        "group": "1-6",
        "ok": True,
        "count": 5,
        "minimum": 1.0,
        "quartiles": [2.0, 3.0, 4.0],
        "maximum": 5.0,
    }
    assert second["quartiles"] == [7.0, 7.0, 7.0]
    assert "POR, 1-6, Ok: 5, median 3" in svg_document(picture.drawing)


def test_plots_say_what_their_axes_and_words_mean_and_no_right_answer_is_red() -> None:
    made = [
        Distribution("LOC", "NOIS", conforms, (0.001, 0.002, 0.004)) for conforms in (True, False)
    ]
    violins = violin_picture("Times", made, "s", "kind of multi-trace")
    answers = (Verdict.PASS, Verdict.FAIL, Verdict.INCONC)
    points = point_picture(
        "Times",
        [
            SliceMeasurement("slice", "swaps", 9, verdict, 0.01 * n)
            for n, verdict in enumerate(answers)
        ],
        "slice",
    )
    for picture, words in (
        (
            violins,
            ["time of one search, logarithmic", "kind of multi-trace", "with local analyses"],
        ),
        (violins, ["multi-prefixes with an action inserted", "to reject them is right"]),
        (points, ["time of one answer, logarithmic", "length of the multi-trace, actions"]),
        (points, ["found to be none", "the search ended without an answer"]),
    ):
        svg = svg_document(picture.drawing)
        assert f'"{VIOLATED}"' not in svg.partition("</style>")[2]
        assert [word for word in words if word not in svg] == []
    assert "partial order" not in svg_document(violins.drawing)


def test_kinds_of_answers_are_told_apart_without_colour() -> None:
    answers = (Verdict.PASS, Verdict.FAIL, Verdict.INCONC)
    made = [SliceMeasurement("slice", "swaps", 9 + n, v, 0.1) for n, v in enumerate(answers)]
    drawn = point_picture("Times", made, "slice").drawing.shapes
    filled, hollow, other = [s for s in drawn if isinstance(s, Circle | Polygon)][3:6]
    assert isinstance(filled, Circle)
    assert isinstance(hollow, Circle)
    assert isinstance(other, Polygon)
    assert (filled.fill == filled.colour, hollow.fill == hollow.colour) == (True, False)


def test_outlines_are_widest_where_most_values_are() -> None:
    places, widths = outline([0.0, 1.0, 1.0, 1.0, 4.0])
    assert (places[0], places[-1]) == (0.0, 4.0)
    assert max(widths) == 1.0
    assert places[widths.index(1.0)] == pytest.approx(1.0, abs=0.4)
    assert outline([2.0, 2.0]) == ([2.0], [1.0])


def test_nothing_measured_is_an_empty_picture() -> None:
    assert violin_picture("Sizes", [], "vertices").structure["violins"] == []
    assert point_picture("Times", [], "slice").structure["points"] == {}


def test_points_that_fall_onto_each_other_are_drawn_once_and_listed_all() -> None:
    made = [
        SliceMeasurement("slice", "swaps", 9, Verdict.FAIL, seconds)
        for seconds in (0.001, 0.0010001, 0.5)
    ]
    picture = point_picture("Times", made, "slice")
    assert picture.structure["points"] == {
        "swaps": [[9, 0.001, "Fail"], [9, 0.0010001, "Fail"], [9, 0.5, "Fail"]]
    }
    assert svg_document(picture.drawing).count("<circle") == 2 + 2  # of the key
    assert point_picture("Times", made, "simulate").structure["points"] == {}


def test_the_table_of_timeouts_has_a_row_for_each_method() -> None:
    table = TimeoutTable((1, 2, 3, 4, 5, 6, 7, 8), {"POR": (0, 0, 0, 1, 0, 0, 0, 0)})
    head, rule, total, por = timeout_table(table).splitlines()
    assert head == (
        "|  | ACPT | PREF | NOIS Ok | NOIS Nok | SACT Ok | SACT Nok | SCMP Ok | SCMP Nok |"
    )
    assert rule.count("---:") == 8
    assert total == "| total | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 |"
    assert por == "| timeout, POR | 0 | 0 | 0 | 1 | 0 | 0 | 0 | 0 |"


def test_wrong_verdicts_are_counted_by_method_and_what_is_right_comes_last() -> None:
    sizes, seconds = {"POR": 4, "LOC": None}, {"POR": 0.1, "default": 0.1}
    wrong = (("sizes", "POR"), ("times", "POR"))
    one = Measurement("i3", "t9", "SACT", 4, True, sizes, seconds, wrong)
    right = one._replace(wrong=())
    assert wrong_list([right], "paper") == (
        "Right: 3 of 3 verdicts, 1 of 1 by the default decider.\n"
    )
    told = wrong_list([right, one], "paper")
    assert told.startswith("2 verdicts wrong, as expected: lifeline removal and the reduction of")
    assert "\n\n- 1 of whole graph, POR\n- 1 of analysis, POR\n\n" in told
    assert "- i3, t9: whole graph, POR" in told
    assert told.endswith("\nRight: 4 of 6 verdicts, 2 of 2 by the default decider.\n")
    assert wrong_list([one] * 15, "paper").count("i3, t9") == 20


@pytest.mark.parametrize(("procedures", "name"), [("sound", "POR"), ("paper", "default")])
def test_verdicts_that_should_be_right_are_not_called_expected(
    procedures: Procedures, name: str
) -> None:
    wrong = (("times", name),)
    one = Measurement("i3", "t9", "SACT", 4, True, {}, {"POR": 0.1, "default": 0.1}, wrong)
    told = wrong_list([one], procedures)
    assert told.startswith("1 verdict wrong that should be right:\n")
    assert "expected" not in told
    assert f"{int(name != 'default')} of 1 by the default decider" in told


def test_the_table_of_slices_is_in_milliseconds_beside_what_was_published() -> None:
    rows = slice_rows([SliceMeasurement("slice", "swaps", 9, Verdict.FAIL, 0.0025)])
    lines = slice_table(rows, PUBLISHED["i2"]).splitlines()
    assert lines[2].startswith("| slice | swaps | 1 | 0 | 1 | 0 | 2.500 | 2.500 |")
    assert lines[3].startswith("| slice | all | 1 |")
    assert lines[4].endswith("| 0.110 | 2.094 | 6.858 | 41.766 | 15.368 | 14637.815 | 317.017 |")
    assert len(slice_table(rows, None).splitlines()) == 4
