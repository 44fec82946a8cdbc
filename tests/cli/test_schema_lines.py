"""`$schema`, which editors write at the top of a document, changes nothing; and hints for what is
called otherwise elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command_line import VIOLATED, choreomon
from tests.cli.offline import INTERACTION, TRACES

SCHEMA = "https://example.org/choreomon.json"


@pytest.fixture(autouse=True)
def _files(place: Path) -> None:
    place.joinpath("order.hif").write_text(INTERACTION.replace("loopW", "loopS"), encoding="utf-8")
    place.joinpath("t.htf").write_text(TRACES["pass.htf"], encoding="utf-8")
    place.joinpath("s.hsf").write_text("@message{m;n;k} @lifeline{a;b;c}", encoding="utf-8")
    place.joinpath("local.htf").write_text("{ [a] a!m }", encoding="utf-8")
    for line in (
        "canonize order.hif -o interaction.json",
        "join t.htf -o trace.json",
        "generate-interaction -o i.json --signature signature.json",
        "synthesize order.hif -o automaton.json --verifiers verifiers",
        "split violated.yaml -o tables",
        "local-check local.htf --verifier verifiers/a.json -o area.json",
    ):
        assert choreomon(*line.split()).code == 0, line


def with_schema(path: Path) -> None:
    text = path.read_text("utf-8")
    if path.suffix == ".json":
        assert text.startswith("{")
        path.write_text(json.dumps({"$schema": SCHEMA, **json.loads(text)}), encoding="utf-8")
    else:
        path.write_text(f"$schema: {SCHEMA}\n{text}", encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("violated.yaml", "check violated.yaml"),
        ("interaction.json", "check interaction.json"),
        ("trace.json", "check trace.json"),
        ("signature.json", "check signature.json"),
        ("automaton.json", "check automaton.json"),
        ("tables/P1.json", "check tables/P1.json"),
        ("verifiers/a.json", "local-check local.htf --verifier verifiers/a.json -o out.json"),
        ("area.json", "central-check area.json --automaton automaton.json"),
    ],
)
def test_the_line_for_editors_changes_nothing(file: str, line: str) -> None:
    before = choreomon(*line.split())
    with_schema(Path(file))
    assert choreomon(*line.split()) == before
    twice = Path(file)
    twice.write_text(twice.read_text("utf-8").replace("$schema", "$scheme"), encoding="utf-8")
    assert choreomon(*line.split()).code == 2


def test_configurations_of_agents_and_mappings_may_have_it(place: Path) -> None:
    place.joinpath("agent.yaml").write_text(f"$schema: {SCHEMA}\nprocess: P1\n", encoding="utf-8")
    place.joinpath("mapping.yaml").write_text(f"$schema: {SCHEMA}\n", encoding="utf-8")
    place.joinpath("x.jsonl").write_text("{}\n", encoding="utf-8")
    for line in ("agent --config agent.yaml", "audit violated.yaml x.jsonl --mapping mapping.yaml"):
        answer = choreomon(*line.split())
        assert answer.code == 2
        assert "$schema" not in answer.err


@pytest.mark.parametrize("kind", ["document", "agent", "mapping", "automaton", "area"])
def test_the_published_schemas_allow_it(kind: str) -> None:
    schema = json.loads(choreomon("schema", "--of", kind).out)
    assert "$schema" in schema["properties"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("opt(a -- m -> b)", "unknown operator 'opt'; write alt(.., o) for what may be left out;"),
        ("loop(a -- m -> b)", "unknown operator 'loop'; write loopS for one iteration after the"),
    ],
)
def test_operators_of_uml_get_a_hint(text: str, said: str) -> None:
    Path("x.hif").write_text(text, encoding="utf-8")
    answer = choreomon("check", "x.hif")
    assert answer.code == 2
    assert said in answer.err


def test_true_in_quotes_gets_a_hint() -> None:
    property_ = VIOLATED.split("property:")[0] + (
        "property:\n  automaton:\n    initial: [q0]\n    final: [q1]\n    transitions:\n"
        '      - {from: q0, to: q1, on: "P1 -> P2 : a"}\n      - {from: q1, to: q1, when: "true"}\n'
    )
    Path("x.yaml").write_text(property_, encoding="utf-8")
    answer = choreomon("check", "x.yaml")
    assert answer.code == 2
    assert "not the text 'true': write true without quotes" in answer.err
