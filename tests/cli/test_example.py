"""`choreomon example` and `choreomon init`."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.command_line import SCENARIOS, choreomon


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
