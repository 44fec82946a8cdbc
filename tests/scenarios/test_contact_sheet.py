from __future__ import annotations

from tests.scenarios.console_blocks import PICTURES
from tests.scenarios.contact_sheet import REPORTS, made, sheet


def test_the_sheet_has_every_picture_and_page_in_both_schemes() -> None:
    text = sheet([(name, name) for name in PICTURES], REPORTS)
    for name in PICTURES:
        assert text.count(f'<img src="{name}"') == 2
    for name in REPORTS:
        assert text.count(f'<iframe src="{name}"') == 4
    assert text.count("color-scheme:light") == text.count("color-scheme:dark")


def test_every_page_is_made_and_says_its_answer_first() -> None:
    for name, page in made().items():
        heading = page.partition("<h1>")[2].partition("</h1>")[0]
        assert heading.endswith("."), name
        assert page.index("<h1>") < page.index("<nav"), name
