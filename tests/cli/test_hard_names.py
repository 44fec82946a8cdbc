"""Pictures, pages and reports of what is called as nothing should be: names are text in them."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from itertools import pairwise, zip_longest
from pathlib import Path
from xml.etree import ElementTree

import pytest

from choreomon.core.message import Message
from tests.cli.command_line import choreomon
from tests.core.names_for_tests import HARD_NAMES

NAMES = [name for name in HARD_NAMES if len(name) < 50]


@pytest.fixture
def document(place: Path) -> Path:
    """Each process in turn sends two messages to the next one: the first name, and its own."""
    first = NAMES[0]
    processes = []
    for one, other in zip_longest(NAMES, NAMES[1:]):
        sent = dict.fromkeys((first, one)) if other else ()
        sends = [{"send": {"to": other, "message": name}} for name in sent]
        processes.append({"id": one, "handlers": {**{name: [] for name in NAMES}, first: sends}})
    start = [{"to": first, "message": first}]
    steps = [str(Message(one, name, other)) for name in NAMES[:1] for one, other in pairwise(NAMES)]
    path = place / "hard.json"
    path.write_text(
        json.dumps(
            {
                "application": {"processes": processes, "start": start},
                "property": {"sequences": [{"steps": steps[:1]}, {"steps": steps}]},
            }
        ),
        encoding="utf-8",
    )
    return path


class Tags(HTMLParser):
    """The tags of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        assert not [name for name, _ in attrs if name.startswith("on")]

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("options", [[], ["--run", "--from", "0", "--to", "300"]])
def test_pictures_have_no_other_elements(document: Path, options: list[str]) -> None:
    assert choreomon("draw", document, *options, "-o", "p.svg").code == 0
    tree = ElementTree.parse("p.svg")
    assert not [each for each in tree.iter() if str(each.tag).endswith("script")]
    assert "<script>alert(1)</script>" in "".join(tree.getroot().itertext())


def test_pages_have_no_other_elements(document: Path) -> None:
    assert choreomon("simulate", document, "--report", "s.html", "--trace", "t").code == 1
    found = choreomon(
        *("audit", document, "t/run-0.jsonl", "--report", "a.html"),
        *("--junit", "j.xml", "--sarif", "s.json"),
    )
    assert found.code == 1
    assert choreomon("look", "t/run-0.jsonl", "--report", "l.html").code == 0
    for page in ("s.html", "a.html", "l.html"):
        read = Tags(Path(page).read_text(encoding="utf-8"))
        assert "script" not in read.tags
        assert "<script>alert(1)</script>" in read.text
    assert "failure" in {each.tag for each in ElementTree.parse("j.xml").iter()}
    assert json.loads(Path("s.json").read_text(encoding="utf-8"))["runs"][0]["results"]


def test_text_of_diagrams_is_lines_of_its_own(document: Path) -> None:
    """No name ends a line, a quote or a diagram."""
    for form, head in (("mermaid", "sequenceDiagram"), ("plantuml", "@startuml")):
        told = choreomon("export", document, "--to", form)
        assert told.code == 0, told.err
        first, *lines = told.out.splitlines()
        assert first == head
        assert [line for line in lines if re.match(r"\s*@", line)] == (
            ["@enduml"] if form == "plantuml" else []
        )
        assert not [line for line in lines if "<script" in line or "</" in line]
        assert not [line for line in lines if re.fullmatch(r"\s*end\s*", line)]


def test_reports_on_a_screen_have_names_as_they_are(document: Path) -> None:
    told = choreomon("check", document)
    assert told.code == 0, told.err
    forbidden = told.out.partition("What must not happen")[2]
    for name in ("[red]b[/red]", ":smile:", "$(touch x)", "\U0001f600"):
        assert name in forbidden
    assert choreomon("check", document, "--json").code == 0
