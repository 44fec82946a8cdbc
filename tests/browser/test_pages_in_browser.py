"""Pages and pictures of commands as a browser shows them, on a desk and on a phone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.browser.headless import WIDTHS, around, needs_chromium, seen, told_by
from tests.browser.pages_to_see import REPORTS, page_of
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
@pytest.mark.parametrize("processes", [7, 30])
def test_names_of_generated_applications_stay_in_sight(
    processes: int, width: int, place: Path
) -> None:
    options = ("--processes", processes, "--handlers", 2 * processes, "--chain", 7)
    assert choreomon("generate", *options, "--seed", 3, "-o", "drawn.yaml").code == 0
    found = seen(page_of("simulate", "drawn.yaml", "--runs", 5), width, place)
    assert found.faults == []


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_of_verified_logs_overflows_overlaps_or_is_asked_for(
    width: int, place: Path
) -> None:
    for dark in (False, True):
        found = seen(page_of("verify", "-i", "order.hif", "late.htf"), width, place, dark=dark)
        assert found.faults == []


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
    undrawn = page.replace('[fill="#17212b"]', '[fill="nothing"]')  # ink stays as it is by day
    assert any(one.startswith("text") for one in seen(undrawn, 1400, place, dark=True).faint)


def test_pictures_of_files_take_the_colours_that_their_reader_prefers(place: Path) -> None:
    assert choreomon("draw", SCENARIOS / "smart-home-violating.yaml", "-o", "x.svg").code == 0
    drawn = {"x": Path("x.svg").read_text(encoding="utf-8")}
    for dark in (False, True):
        assert seen(around(drawn), 1400, place, dark=dark).faults == []
    paper_only = {"x": drawn["x"].replace('svg [fill="#17212b"]', "nothing")}
    assert seen(around(paper_only), 1400, place, dark=True).faint


def test_where_names_scroll_with_their_picture_that_is_seen(place: Path) -> None:
    page = page_of(*REPORTS["one run"])
    scrolled = page.replace("position: sticky", "position: relative")
    assert seen(page, 400, place).cut_off == []
    assert seen(scrolled, 400, place).cut_off


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


LEFT_IN_SIGHT = """addEventListener("load", () => {
  const told = [];
  for (const table of document.querySelectorAll("table.in-sight")) {
    for (let at = table; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    const scrolled = table.closest(".wide");
    scrolled.scrollLeft = scrolled.scrollWidth;
    const edge = scrolled.getBoundingClientRect().left;
    const places = [...table.rows[1].cells].map((cell) => cell.getBoundingClientRect().left - edge);
    told.push(places.map((place) => place > -1));
  }
  const left = document.createElement("pre");
  left.id = "measured";
  left.textContent = JSON.stringify(told);
  if (parent === window) document.body.append(left);
  else parent.postMessage(left.textContent, "*");
});"""


@pytest.mark.parametrize("width", WIDTHS)
def test_what_rows_are_about_stays_in_sight_when_a_wide_table_scrolls(
    width: int, place: Path
) -> None:
    made = ROOT / "benchmarks" / "results" / "experiments" / "all.html"
    page = made.read_text(encoding="utf-8")
    tables: list[list[bool]] = told_by((LEFT_IN_SIGHT,), page, width, place)
    assert len(tables) == 3
    assert all(cells[:4] == [True, True, True, False] for cells in tables)
    loose = page.replace("position: sticky", "position: static")
    assert not any(cells[0] for cells in told_by((LEFT_IN_SIGHT,), loose, width, place))


@pytest.mark.parametrize(
    ("planted", "fault"),
    [
        ('<p style="width:2000px">wide</p>', "the page is 20"),
        ('<img src="http://127.0.0.1:9/x.png" alt="">', "asks for http://127.0.0.1:9/x.png"),
        ('<div style="overflow-x:auto"><p style="width:2000px">wide</p></div>', '"wide"'),
        (
            '<svg viewBox="0 0 90 40" width="90" height="40" aria-label="plan">'
            '<rect width="90" height="40" fill="#fff"/>'
            '<circle cx="9" cy="9" r="5" fill="none" stroke="#9aa5b1"/></svg>',
            'circle "" rgb(154, 165, 177): 2.50',
        ),
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
