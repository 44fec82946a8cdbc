"""`choreomon example` and `choreomon init`."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from choreomon.cli.documents.init import _ask, _Asked
from tests.cli.command_line import SCENARIOS, Answer, choreomon


def test_every_scenario_is_named_with_what_it_is_about() -> None:
    answer = choreomon("example")
    assert (answer.code, answer.err) == (0, "")
    for path in SCENARIOS.glob("*.yaml"):
        assert path.stem in answer.out
    assert "smart-home-conforming, smart-home-violating\n    Nobody who listens" in answer.out


def test_one_is_written_with_the_interaction_that_it_states() -> None:
    answer = choreomon("example", "lock-violating", "-o", "new/here")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.splitlines() == ["new/here/lock-violating.yaml", "new/here/lock.hif"]
    for name in ("lock-violating.yaml", "lock.hif"):
        assert Path("new/here", name).read_bytes() == (SCENARIOS / name).read_bytes()
    assert choreomon("simulate", "new/here/lock-violating.yaml").code == 1


def test_the_beginning_of_several_names_stands_for_all_of_them() -> None:
    assert choreomon("example", "fig1").out.splitlines() == [
        "fig1-conforming.yaml",
        "fig1-violating.yaml",
    ]
    assert choreomon("example", "f").code == 2


def test_files_that_are_there_are_replaced_only_by_force() -> None:
    Path("lock.hif").write_text("mine")
    answer = choreomon("example", "lock-violating")
    assert answer.code == 2
    assert "lock.hif: is there already; add --force to replace it" in answer.err
    assert not Path("lock-violating.yaml").exists()
    assert choreomon("example", "lock-violating", "--force").code == 0
    assert Path("lock.hif").read_bytes() == (SCENARIOS / "lock.hif").read_bytes()


def test_a_name_that_nobody_knows_is_told() -> None:
    answer = choreomon("example", "lock-violatin")
    assert answer.code == 2
    assert "there is no example 'lock-violatin'; did you mean 'lock-violating'?" in answer.err
    assert "`choreomon example` says which there are" in choreomon("example", "xyzzy").err


def test_init_writes_a_property_that_is_right_with_the_schema_that_it_names() -> None:
    answer = choreomon("init", "mine/p.yaml")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.splitlines()[0].endswith("then: choreomon check mine/p.yaml")
    text = Path("mine/p.yaml").read_text()
    named = text.splitlines()[0].removeprefix("# yaml-language-server: $schema=")
    schema = json.loads(Path("mine", named).read_text())
    assert schema == json.loads(choreomon("schema").out)
    assert choreomon("check", "mine/p.yaml").code == 0


def test_init_writes_nothing_where_its_schema_cannot_be_written() -> None:
    Path("mine/choreomon-document.schema.json").mkdir(parents=True)
    answer = choreomon("init", "mine/p.yaml")
    assert answer.code == 2
    assert "choreomon-document.schema.json: cannot be written: Is a directory" in answer.err
    assert not Path("mine/p.yaml").exists()


def test_init_keeps_what_is_there() -> None:
    Path("property.yaml").write_text("mine")
    answer = choreomon("init")
    assert answer.code == 2
    assert "property.yaml: is there already; add --force to replace it" in answer.err
    assert Path("property.yaml").read_text() == "mine"
    assert choreomon("init", "--force").code == 0
    assert choreomon("check", "property.yaml").code == 0
    answer = choreomon("init", "p.json")
    assert answer.code == 2
    assert "end its name in .yaml" in answer.err


def typed_of(answer: Answer) -> list[str]:
    """The commands that are told."""
    return [line.strip() for line in answer.out.splitlines() if line.startswith("  choreomon ")]


def test_init_drafts_what_fits_to_logs_and_its_commands_work() -> None:
    events = [("out", "shop", "order"), ("in", "bank", "order"), ("out", "bank", "paid")]
    lines = [
        {"dir": kind, "svc": process, "what": name, "id": f"{number // 2}", "cart": 1}
        for number, (kind, process, name) in enumerate(events)
    ]
    Path("logs").mkdir()
    text = "".join(json.dumps(line) + "\n" for line in lines)
    Path("logs/saga.jsonl").write_text(text, encoding="utf-8")
    answer = choreomon("init", "mine.yaml", "--logs", "logs", "--session-key", "cart")
    assert (answer.code, answer.err) == (0, "")
    assert "mine.yaml: rules" in answer.out
    assert "mapping.yaml: a draft of a mapping" in answer.out
    look, audit = typed_of(answer)
    assert look == "choreomon look logs --mapping mapping.yaml --session-key cart"
    assert choreomon(*look.split()[1:]).code == 0
    assert audit.startswith("choreomon audit mine.yaml logs --mapping mapping.yaml")
    assert choreomon(*audit.split()[1:]).code in (0, 1, 3)
    schema = Path("mine.yaml").read_text("utf-8").splitlines()[0].partition("=")[2]
    assert Path(schema).exists()
    again = choreomon("init", "mine.yaml", "--logs", "logs")
    assert "is there already; add --force to replace it" in again.err


def test_init_leaves_a_mapping_out_where_logs_need_none() -> None:
    assert choreomon("simulate", str(SCENARIOS / "lock-violating.yaml"), "--trace", "runs").code
    answer = choreomon("init", "rules.yaml", "--logs", "runs")
    assert answer.code == 0
    assert not Path("mapping.yaml").exists()
    look, audit = typed_of(answer)
    assert (look, audit) == ("choreomon look runs", "choreomon audit rules.yaml runs")
    assert choreomon(*audit.split()[1:]).code in (0, 1, 3)


def test_init_takes_diagrams_as_they_are_and_services_by_name() -> None:
    Path("order.mmd").write_text("sequenceDiagram\n  shop->>bank: order\n", encoding="utf-8")
    diagram = choreomon("init", "mine.yaml", "--diagram", "order.mmd")
    assert typed_of(diagram) == [
        "choreomon draw order.mmd -o diagram.svg",
        "choreomon verify -i order.mmd LOGS",
    ]
    assert choreomon("draw", "order.mmd", "-o", "diagram.svg").code == 0
    assert not Path("mine.yaml").exists()
    services = choreomon("init", "mine.yaml", "--services", "shop, bank,depot")
    assert typed_of(services) == [
        "choreomon check mine.yaml",
        "choreomon split mine.yaml --output agents",
    ]
    for typed in typed_of(services):
        assert choreomon(*typed.split()[1:]).code == 0
    for wrong, told in (
        ("shop", "name two services or more"),
        ("a\tb,c", "cannot be called 'a\\tb'"),
    ):
        assert told in choreomon("init", "--services", wrong, "--force").err
    assert "say one of" in choreomon("init", "--services", "a,b", "--logs", "x").err


def test_init_takes_services_of_any_name() -> None:
    assert choreomon("init", "mine.yaml", "--services", 'a b, "10.0.0.7:80, here",c').code == 0
    text = Path("mine.yaml").read_text(encoding="utf-8")
    assert """after: '"a b" -> "10.0.0.7:80, here" : message'""" in text
    assert choreomon("check", "mine.yaml").code == 0
    assert "only be used with --logs" in choreomon("init", "--session-key", "x").err
    assert choreomon("init", "--diagram", "none.mmd").code == 2
    assert choreomon("init", "--logs", "none.jsonl").code == 2


@pytest.mark.parametrize(
    ("typed", "asked"),
    [
        ("", _Asked()),
        ("logs\nruns\ncart\n", _Asked(logs=("runs",), session_key="cart")),
        ("logs\n\n\n", _Asked(logs=(".",))),
        ("diagram\nd.puml\n", _Asked(diagram="d.puml")),
        ("oops\nservices\na,b\n", _Asked(services="a,b")),
    ],
)
def test_init_asks_in_a_terminal(
    typed: str, asked: _Asked, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(typed or "\n"))
    assert _ask() == asked
    assert capsys.readouterr().out.count("?") + capsys.readouterr().out.count(":") <= 7
