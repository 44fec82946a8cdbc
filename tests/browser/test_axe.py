"""What axe-core finds in pages of commands: nothing serious, on a desk and on a phone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.axe import found_by_axe, needs_axe
from tests.browser.headless import WIDTHS, needs_chromium
from tests.browser.pages_to_see import REPORTS, page_of
from tests.cli.command_line import ROOT, SCENARIOS, choreomon

pytestmark = [needs_chromium, needs_axe]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found(page: str, place: Path) -> list[str]:
    """Of both widths, the narrow one at night."""
    wide, narrow = WIDTHS
    return found_by_axe(page, wide, place) + found_by_axe(page, narrow, place, dark=True)


@pytest.mark.parametrize("report", REPORTS)
def test_nothing_serious_is_found_in_a_report(report: str, place: Path) -> None:
    assert found(page_of(*REPORTS[report]), place) == []


def test_nothing_serious_is_found_in_an_audit(place: Path) -> None:
    scenario = SCENARIOS / "payment-saga-violating.yaml"
    assert choreomon("simulate", scenario, "--trace", "logs").code == 1
    assert found(page_of("audit", scenario, "logs/run-0.jsonl"), place) == []


def test_nothing_serious_is_found_in_the_page_of_the_experiments(place: Path) -> None:
    made = ROOT / "benchmarks" / "results" / "experiments" / "all.html"
    assert found(made.read_text(encoding="utf-8"), place) == []


def page_with(planted: str) -> str:
    return (
        '<!DOCTYPE html><html lang="en"><head><title>x</title></head><body><main><h1>x</h1>'
        f"{planted}</main></body></html>"
    )


def test_what_is_wrong_with_a_page_is_found_at_every_width(place: Path) -> None:
    wrong = {
        "image-alt": '<img src="data:," width="9" height="9">',
        "color-contrast": '<p style="color:#ccc">faint</p>',
        "link-name": '<a href="#x"></a>',
        "list": "<ul><p>no item</p></ul>",
        "label": '<input type="text">',
    }
    page = page_with("".join(wrong.values()))
    assert found_by_axe(page_with("<p>right</p>"), WIDTHS[0], place) == []
    for width in WIDTHS:
        rules = {each.split(":")[0] for each in found_by_axe(page, width, place)}
        assert rules == wrong.keys()
