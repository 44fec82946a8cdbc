from __future__ import annotations

import re

from choreomon.pages.page import facts, header, page, section, table


def test_columns_of_numbers_stand_at_the_right_and_others_do_not() -> None:
    rows = [("a", "1,000", "–", "12.5 ms", "", "1 to 3"), ("b", "2", "3", "7 ms", "", "2")]
    source = table(("name", "count", "mean", "time", "empty", "seeds"), rows)
    assert re.findall('<th scope="col"( class="number")?>([a-z]+)', source) == [
        ("", "name"),
        (' class="number"', "count"),
        (' class="number"', "mean"),
        (' class="number"', "time"),
        ("", "empty"),
        ("", "seeds"),
    ]
    assert source.count('<td class="number">') == 2 * 3


def test_a_page_of_one_section_has_no_contents() -> None:
    head = header("quiet", "title", "result")
    one, two = section("One & other", ["x"]), section("Two", ["y"])
    assert "<nav" not in page("t", [head, "", one])
    assert '<a href="#one-other">One &amp; other</a>' in page("t", [head, one, two])


def test_options_of_the_command_at_the_foot_are_not_broken() -> None:
    foot = facts([("command", "choreomon audit a.yaml --report x-y.html -o z")])
    assert '<span class="option">--report</span> x-y.html <span class="option">-o</span> z' in foot
