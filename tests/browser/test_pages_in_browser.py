"""Pages and pictures of commands as a browser shows them, on a desk and on a phone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.browser.headless import WIDTHS, around, needs_chromium, seen
from tests.cli.command_line import ROOT, SCENARIOS, choreomon

pytestmark = needs_chromium

ORDER = """
loopW(
    seq(
        customer -- order -> shop,
        shop -- charge -> bank,
        alt(
            seq(bank -- yes -> shop, shop -- parcel -> customer),
            seq(bank -- no -> shop, shop -- sorry -> customer))))
"""
LATE = """
{
[customer] customer!order.customer?parcel;
[shop] shop?yes.shop!parcel;
[bank] bank!yes
}
"""
LONG = "\n".join(
    [
        "property:",
        "  sequences:",
        "    - steps:",
        *(f'        - "P{n % 3} -> P{(n + 1) % 3} : message{n}"' for n in range(14)),
    ]
)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory, with an interaction, a multi-trace and a long property."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("order.hif", ORDER), ("late.htf", LATE), ("long.yaml", LONG)):
        tmp_path.joinpath(name).write_text(text, encoding="utf-8")
    return tmp_path


def page_of(*command: object) -> str:
    answer = choreomon(*command, "--report", "made.html")
    assert answer.code in (0, 1, 3), answer.err
    return Path("made.html").read_text(encoding="utf-8")


REPORTS = {
    "one run": ("simulate", SCENARIOS / "smart-home-violating.yaml"),
    "many runs": ("simulate", SCENARIOS / "payment-saga-violating.yaml", "--runs", 60),
    "a possible violation": (
        *("simulate", SCENARIOS / "fig3-pull-push-conforming.yaml"),
        *("--strategy", "push", "--runs", 20),
    ),
    "nothing found": ("simulate", SCENARIOS / "lock-conforming.yaml", "--verify", "accept"),
}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("report", REPORTS)
def test_nothing_of_a_report_overflows_overlaps_or_is_asked_for(
    report: str, width: int, place: Path
) -> None:
    found = seen(page_of(*REPORTS[report]), width, place)
    assert found.width == width
    assert found.faults == []
    assert all(found.focus)
    assert found.focus or report == "nothing found"


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_of_an_audit_overflows_overlaps_or_is_asked_for(width: int, place: Path) -> None:
    scenario = SCENARIOS / "payment-saga-violating.yaml"
    assert choreomon("simulate", scenario, "--trace", "logs").code == 1
    found = seen(page_of("audit", scenario, "logs/run-0.jsonl"), width, place)
    assert found.faults == []


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_of_audited_sessions_overflows_overlaps_or_is_asked_for(
    width: int, place: Path
) -> None:
    scenario = SCENARIOS / "smart-home-violating.yaml"
    assert choreomon("simulate", scenario, "--runs", 3, "--trace", "logs").code == 1
    with Path("all.jsonl").open("w", encoding="utf-8") as together:
        for run in range(3):
            for line in Path(f"logs/run-{run}.jsonl").read_text(encoding="utf-8").splitlines():
                together.write(json.dumps({**json.loads(line), "session": str(run)}) + "\n")
    found = seen(page_of("audit", scenario, "all.jsonl", "--session-key", "session"), width, place)
    assert found.faults == []


def test_a_report_is_legible_at_night(place: Path) -> None:
    page = page_of(*REPORTS["a possible violation"])
    assert seen(page, 1400, place, dark=True).faint == []
    dim = page.replace("--ink: #e3e8ed", "--ink: #333333")
    assert seen(dim, 1400, place, dark=True).faint


PICTURES: dict[str, tuple[object, ...]] = {
    "automaton": (SCENARIOS / "payment-saga-violating.yaml",),
    "long automaton": ("long.yaml",),
    "run": (SCENARIOS / "payment-saga-violating.yaml", "--run"),
    "whole run": (SCENARIOS / "broker-violating.yaml", "--run", "--all"),
    "stretch": (SCENARIOS / "broker-violating.yaml", "--run", "--from", 5, "--to", 20),
    "interaction": ("order.hif",),
    "term": ("order.hif", "--tree"),
    "graph": ("order.hif", "--trace", "late.htf", "--mode", "slice"),
    "outline": (
        *("order.hif", "--trace", "late.htf", "--mode", "slice"),
        *("--whole-graph", "--strategy", "bfs"),
    ),
    "diagrams": ("order.hif", "--trace", "late.htf", "--mode", "slice", "--nodes", "diagram"),
    "witness": ("order.hif", "--trace", "late.htf", "--mode", "slice", "--explain"),
    "failure": ("order.hif", "--trace", "late.htf", "--explain"),
}


def test_no_text_of_a_picture_overlaps_another_or_leaves_the_canvas(place: Path) -> None:
    drawn: dict[str, str] = {}
    for name, command in PICTURES.items():
        assert choreomon("draw", *command, "-o", "x.svg").code in (0, 1, 3)
        drawn[name] = Path("x.svg").read_text(encoding="utf-8")
    for nodes in (15, 120):
        assert choreomon("explore", "order.hif", "-o", "x.svg", "--max-nodes", nodes).code == 0
        drawn[f"tree of {nodes}"] = Path("x.svg").read_text(encoding="utf-8")
    options = ("--interactions", 1, "--traces", 8, "--measure", "sizes", "-o", "out")
    choreomon("experiment", "multiprefix", *options)
    for plot in Path("out").glob("*.svg"):
        drawn[plot.stem] = plot.read_text(encoding="utf-8")
    assert len(drawn) == len(PICTURES) + 2 + 2
    assert seen(around(drawn), 1400, place).faults == []


def test_pictures_of_the_documentation_are_whole(place: Path) -> None:
    files = sorted((ROOT / "docs" / "pictures").glob("*.svg"))
    drawn = {file.name: file.read_text(encoding="utf-8") for file in files}
    assert drawn
    assert seen(around(drawn), 1400, place).faults == []


@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_of_the_experiments_is_whole(width: int, place: Path) -> None:
    """As it was made last, since that takes minutes."""
    made = ROOT / "benchmarks" / "results" / "experiments" / "all.html"
    assert seen(made.read_text(encoding="utf-8"), width, place).faults == []


@pytest.mark.parametrize(
    ("planted", "fault"),
    [
        ('<p style="width:2000px">wide</p>', "the page is 20"),
        ('<img src="http://127.0.0.1:9/x.png" alt="">', "asks for http://127.0.0.1:9/x.png"),
        ('<p style="color:#ccc">faint</p>', 'P "faint": contrast 1.6'),
        (
            '<svg viewBox="0 0 90 40" width="90" height="40" aria-label="plan">'
            '<text x="60" y="20" font-size="12">too long</text></svg>',
            'plan: "too long" leaves the canvas',
        ),
        (
            '<svg viewBox="0 0 90 40" width="90" height="40" aria-label="plan">'
            '<text x="5" y="20" font-size="12">one</text>'
            '<text x="9" y="24" font-size="12">two</text></svg>',
            'plan: "one" and "two"',
        ),
    ],
)
def test_what_is_wrong_with_a_page_is_seen(planted: str, fault: str, place: Path) -> None:
    page = f"<!DOCTYPE html><html><body><main>{planted}</main></body></html>"
    assert any(fault in one for one in seen(page, 1400, place).faults)
