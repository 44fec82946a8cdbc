"""What the documentation shows is what happens."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from choreomon.documents.read import load_document, parse_document
from choreomon.hibou.configuration_reader import read_configuration
from choreomon.hibou.model import read_interaction, read_signature
from choreomon.hibou.multitrace import read_multi_trace
from choreomon.interaction_files.automaton_file import read_automaton
from choreomon.interaction_files.configuration_json import read_configuration_json
from choreomon.interaction_files.offline_json import (
    read_interaction_json,
    read_multi_trace_json,
    read_signature_json,
)
from choreomon.logs.trace import trace_line
from simulator.run import simulation
from tests.scenarios.console_blocks import (
    DOCUMENT_PAGES,
    LIVE_PAGES,
    PAGES,
    PICTURES,
    ROOT,
    blocks_of,
    commands_in,
    documents_of,
    drawn,
    hibou_files_of,
    matches,
    renewed,
    run,
    workplace,
)

_LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize(
    "page", [page for page in DOCUMENT_PAGES if blocks_of(page, "console")], ids=name_of
)
def test_every_command_prints_and_returns_what_the_page_says(page: Path) -> None:
    with workplace(page):
        for block in blocks_of(page, "console"):
            for command in commands_in(block):
                printed = run(command.line)
                assert printed.code == command.code, command.line
                assert matches(command.printed, printed.text), (
                    f"{command.line} prints something else now; see "
                    f"tests/scenarios/console_blocks.py for renewing the page:\n{printed.text}"
                )


@pytest.mark.parametrize(
    ("page", "file", "text"),
    [(page, file, text) for page in DOCUMENT_PAGES for file, text in documents_of(page)],
    ids=lambda value: name_of(value) if isinstance(value, Path) else str(value)[:20].strip(),
)
def test_every_document_is_valid(page: Path, file: str, text: str) -> None:
    if not file.startswith("wrong"):
        parse_document(text, file)


def broken_links(page: Path, text: str) -> list[str]:
    """Links of a page to files that are not there, and to sections that they do not have."""
    broken: list[str] = []
    for file, section in _LINK.findall(text):
        target = page.parent / file if file else page
        if ":" in file:
            continue
        if not target.exists():
            broken.append(file)
        elif section and section not in sections_of(target.read_text(encoding="utf-8")):
            broken.append(f"{file}#{section}")
    return broken


def sections_of(text: str) -> set[str]:
    """The names under which links find the headings of a page."""
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        for heading in _HEADING.findall(text)
    }


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_to_a_file_and_a_section(page: Path) -> None:
    assert broken_links(page, page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("link", "broken"),
    [
        ("[x](docs/monitors.md#precise-rules)", []),
        ("[x](docs/simulation.md#--json)", []),
        ("[x](docs/monitors.md#three-rules)", ["docs/monitors.md#three-rules"]),
        ("[x](docs/nowhere.md)", ["docs/nowhere.md"]),
        ("[x](#limits)", []),
        ("[x](#no-limits)", ["#no-limits"]),
        ("[x](https://example.org/y#z)", []),
    ],
)
def test_a_link_that_leads_nowhere_is_noticed(link: str, broken: list[str]) -> None:
    page = ROOT / "README.md"
    assert broken_links(page, f"{page.read_text(encoding='utf-8')}\n{link}\n") == broken


@pytest.mark.parametrize("name", ["docs/properties.md", "docs/tutorial.md"])
def test_renewing_a_page_that_is_true_changes_nothing(name: str) -> None:
    page = ROOT / name
    assert renewed(page) == page.read_text(encoding="utf-8")


def test_renewing_a_page_mends_what_is_wrong(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("A\n```console\n$ choreomon check x\nwell\n$ echo $?\n0\n```\nB\n")
    assert renewed(page) == (
        "A\n```console\n$ choreomon check x\nx: cannot be read: there is no such file\n"
        "$ echo $?\n2\n```\nB\n"
    )


@pytest.mark.parametrize("picture", PICTURES)
def test_every_picture_is_what_is_drawn_now(picture: str) -> None:
    assert drawn(picture) == (ROOT / "docs" / "pictures" / picture).read_bytes()


def test_every_picture_stands_on_its_page() -> None:
    assert {path.name for path in (ROOT / "docs" / "pictures").iterdir()} == set(PICTURES)
    for picture, (page, _) in PICTURES.items():
        assert f"pictures/{picture})" in (ROOT / page).read_text(encoding="utf-8")


def test_the_line_of_a_trace_is_one_of_a_real_trace() -> None:
    lines: list[str] = []
    prepared = simulation(load_document(ROOT / "scenarios" / "smart-home-violating.yaml"))
    prepared.run(
        0, recorder=lambda e: lines.append(trace_line(e, prepared.application.processes) + "\n")
    )
    blocks = [block for page in DOCUMENT_PAGES for block in blocks_of(page, "json")]
    shown = [block for block in blocks if "kind" not in block]
    assert shown
    assert [block for block in shown if block not in lines] == []


OFFLINE = {
    "hif": read_interaction,
    "hsf": read_signature,
    "htf": read_multi_trace,
    "hcf": read_configuration,
    "interaction": read_interaction_json,
    "multi-trace": read_multi_trace_json,
    "signature": read_signature_json,
    "configuration": read_configuration_json,
    "automaton": read_automaton,
}
"""What reads a file that a page shows: by the suffix of its name, or by its `kind`."""


def offline_files_of(page: Path) -> list[tuple[str, str]]:
    """How each file in HIBOU's formats, or of a kind in JSON, is read, and its text."""
    written = [(name.rpartition(".")[2], text) for name, text in hibou_files_of(page)]
    blocks = [block for block in blocks_of(page, "json") if '"kind"' in block]
    return written + [(json.loads(block)["kind"], block) for block in blocks]


@pytest.mark.parametrize(
    "page", [page for page in DOCUMENT_PAGES if offline_files_of(page)], ids=name_of
)
def test_every_interaction_and_multi_trace_on_a_page_can_be_read(page: Path) -> None:
    for kind, text in offline_files_of(page):
        assert OFFLINE[kind](text) is not None


def test_the_pages_show_commands_and_documents() -> None:
    consoles = [block for page in DOCUMENT_PAGES for block in blocks_of(page, "console")]
    assert sum(len(commands_in(block)) for block in consoles) >= 20
    assert sum(len(documents_of(page)) for page in DOCUMENT_PAGES) >= 8
    assert [page for page in LIVE_PAGES if not page.is_file()] == []


@pytest.mark.parametrize(
    ("shown", "printed", "agrees"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\nb\n", "a\nc\n", False),
        ("a\n...\nd\n", "a\nb\nc\nd\n", True),
        ("a\n...\nd\n", "a\nb\nc\n", False),
        ("...\n", "", True),
    ],
)
def test_a_page_that_shows_something_else_is_noticed(
    shown: str, printed: str, agrees: bool
) -> None:
    assert matches(shown, printed) is agrees


def test_exit_codes_belong_to_the_command_before_them() -> None:
    first, second = commands_in("$ choreomon a\nout\n$ echo $?\n3\n$ choreomon b\n")
    assert (first.line, first.printed, first.code) == ("choreomon a", "out\n", 3)
    assert (second.line, second.printed, second.code) == ("choreomon b", "", 0)


def test_the_map_of_the_rooms_is_true() -> None:
    """Every folder on it exists, and every package of choreomon is on it."""
    (tree,) = blocks_of(ROOT / "CONTRIBUTING.md", "text")
    shown: set[Path] = set()
    for line in tree.splitlines():
        inside = ROOT / "choreomon" if line.startswith("  ") else ROOT
        folders = re.match(r"\s*((?:[\w-]+/\s+)*[\w-]+/)", line)
        assert folders is not None, line
        shown |= {inside / name.rstrip("/") for name in folders[1].split()}
    assert [path for path in shown if not path.is_dir()] == []
    packages = {path.parent for path in ROOT.glob("choreomon/*/*.py")}
    assert packages - shown == set()


def test_what_is_told_about_adding_things_names_places_that_exist() -> None:
    told = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## How to add")[2]
    places = [
        place for place in re.findall(r"`((?:[\w-]+/)+(?:[\w.-]+)?)`", told) if "NAME" not in place
    ]
    missing = [
        place
        for place in places
        if not any((ROOT / top / place).exists() for top in ("", "choreomon"))
    ]
    assert len(places) > 20
    assert missing == []
