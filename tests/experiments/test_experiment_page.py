"""The page about an experiment."""

from __future__ import annotations

import pytest

from choreomon.experiments.results.page import Compared, Part, Tabulated, experiment_page
from choreomon.pictures.shapes.line_chart import Axis, Line, line_chart
from tests.pages.html_pages import Page

PICTURE = line_chart("Chart", Axis("x", ((1, "1"),)), "y", [Line("a < b", ((1, 2),))])


def page(*degrees: int) -> str:
    agreements = ("as the paper says", "partly", "not as the paper says")
    claims = [
        Compared(f"claim {n} <&>", "measured 7", agreements[degree], degree, ("since <it> is",))
        for n, degree in enumerate(degrees)
    ]
    part = Part(
        "Part & parcel",
        claims,
        [("Notes", ["first <note>"])],
        [(PICTURE, "a caption")],
        [
            Tabulated("Shown", ("a", "b"), [("1", "<2>")], folded=False),
            Tabulated("Folded", ("a", "b"), [("3", "4")], folded=True),
        ],
    )
    return experiment_page("Title", [part], [("command", "choreomon <x>")], ["what it means"])


def test_all_that_is_said_is_on_the_page() -> None:
    read = Page(page(0, 2))
    assert read.misplaced == read.open == []
    words = "".join(read.words)
    for said in (
        *("claim 0 <&>", "claim 1 <&>", "measured 7", "since <it> is", "Part & parcel"),
        *("Notes", "first <note>", "a caption", "Shown", "<2>", "Folded", "4"),
        *("choreomon <x>", "what it means", "a < b"),
    ):
        assert said in words
    assert read.tags.count("figure") == 1
    assert read.tags.count("svg") == 1 + 1, "the picture, and the mark of its line in the legend"
    assert read.tags.count("details") == 1
    assert not {"script", "img", "link"} & {*read.tags}


@pytest.mark.parametrize(
    ("degrees", "tone", "heading"),
    [
        ((0, 0), "quiet", "2 of 2 claims of the paper hold."),
        ((0, 1), "possibly", "1 of 2 claims of the paper hold; 1 does in part: Part & parcel."),
        ((2,), "violated", "0 of 1 claim of the paper hold; 1 does not: Part & parcel."),
        ((), "quiet", "0 of 0 claims of the paper hold."),
    ],
)
def test_the_head_says_how_many_claims_hold(
    degrees: tuple[int, ...], tone: str, heading: str
) -> None:
    text = page(*degrees)
    assert f'<header class="{tone}">' in text
    assert heading in "".join(Page(text).words)
