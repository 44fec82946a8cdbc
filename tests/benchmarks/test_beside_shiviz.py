"""`benchmarks.beside_shiviz`, in small: with a stand-in for ShiViz, whose source is not here."""

from __future__ import annotations

import json
from pathlib import Path
from shutil import which

import pytest
from click.testing import CliRunner, Result

from benchmarks import beside_shiviz

SCRIPTS = ("util/exception", "util/regexp", "model/vectorTimestamp", "model/logEvent")
STAND_IN = """
function NamedRegExp(text, flags) { this.expression = new RegExp(text, "g" + flags); }
function LogParser(text, delimiter, parser) {
    this.text = text;
    this.parser = parser.expression;
}
LogParser.prototype.getLabels = function() { return [""]; };
LogParser.prototype.getLogEvents = function(label) {
    return [...this.text.matchAll(this.parser)].map((match) => ({
        getHost: () => match.groups.host,
        getVectorTimestamp: () => ({ getClock: () => JSON.parse(match.groups.clock) }),
    }));
};
"""


def measured(*options: object) -> Result:
    arguments = ["--megabytes", "0.003", "--rounds", "2", *map(str, options)]
    return CliRunner().invoke(beside_shiviz.main, arguments)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder like a checkout of ShiViz, with a parser of ours in it."""
    if which("node") is None:
        pytest.skip("this machine has no node, so that the parser of ShiViz is not run")
    for script in SCRIPTS:
        path = tmp_path / "js" / f"{script}.js"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")
    (tmp_path / "js" / "model" / "parser.js").write_text(STAND_IN, encoding="utf-8")
    return tmp_path


def test_without_a_checkout_it_says_what_is_left_out() -> None:
    answer = measured()
    assert answer.exit_code == 0, answer.output
    assert answer.output.endswith(
        "ShiViz' parser is left out: --shiviz DIR, a checkout of it, was not given\n"
    )
    found = json.loads(measured("--json").output)
    assert found["shiviz"] is False
    assert {one["log"]: one["events"] for one in found["logs"]}["simpledb"] == 509
    assert all("shiviz" not in one for one in found["logs"])


def test_both_read_the_same_events(checkout: Path) -> None:
    answer = measured("--shiviz", checkout, "--json")
    assert answer.exit_code == 0, answer.output
    found = json.loads(answer.output)
    assert [one["log"] for one in found["logs"]] == ["simpledb", "20 processes", "2 processes"]
    assert all(one["shiviz"] > 0 and one["shiviz_first"] > 0 for one in found["logs"])
    assert "times" in measured("--shiviz", checkout).output


def test_a_parser_that_finds_something_else_is_an_error(checkout: Path) -> None:
    script = checkout / "js" / "model" / "parser.js"
    script.write_text(STAND_IN.replace("match.groups.host", '"x"'), encoding="utf-8")
    answer = measured("--shiviz", checkout)
    assert answer.exit_code == 1
    assert "simpledb: ShiViz found ({'x': 509}" in answer.output
    script.unlink()
    answer = measured("--shiviz", checkout)
    assert answer.exit_code == 1
    assert f"ShiViz' parser in {checkout} did not run" in answer.output
