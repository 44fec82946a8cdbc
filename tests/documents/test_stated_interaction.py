"""Interactions and logs that scenarios state."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from choreomon.core.errors import DocumentError
from choreomon.documents.observation import EVERYTHING
from choreomon.documents.read import load_document
from choreomon.interaction.term import text
from tests.documents.documents_for_tests import parsed, told

DOCUMENT = """\
application:
  processes:
    - id: P
      handlers: {go: [{send: {to: Q, message: a}}]}
    - id: Q
      handlers: {a: []}
  start: [{to: P, message: go}]
"""
INLINE = """\
interaction: |
  seq(go -> P,
      P -- a -> Q)
"""
MEANT = "seq(P?go,strict(P!a,Q?a))"


def test_an_interaction_may_stand_in_the_document() -> None:
    stated = parsed(DOCUMENT + INLINE).interaction
    assert stated is not None
    assert (stated.file, text(stated.interaction)) == (None, MEANT)


@pytest.mark.parametrize("name", ["what.hif", "  WHAT.HIF "])
def test_an_interaction_may_stand_in_a_file_beside_the_document(tmp_path: Path, name: str) -> None:
    tmp_path.joinpath(name.strip()).write_text("seq(go -> P, P -- a -> Q)", encoding="utf-8")
    tmp_path.joinpath("d.yaml").write_text(DOCUMENT + f'interaction: "{name}"\n', encoding="utf-8")
    stated = load_document(tmp_path / "d.yaml").interaction
    assert stated is not None
    assert stated.file == str(tmp_path / name.strip())
    assert text(stated.interaction) == MEANT


def test_a_document_without_one_has_none_and_sees_everything() -> None:
    document = parsed(DOCUMENT)
    assert document.interaction is None
    assert document.observation == EVERYTHING


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("-- a ->", "-- b ->", 8, "line 2 of it: unknown message 'b'; the messages are go, a"),
        ("-> Q", "-> R", 8, "line 2 of it: unknown lifeline 'R'; the lifelines are P, Q"),
        ("seq(", "sequence(", 8, "line 1 of it: unknown operator 'sequence'"),
        (")\n", "\n", 8, "line 1 of it: `seq(` is not closed"),
    ],
)
def test_what_is_wrong_in_it_is_said_with_the_field_and_its_own_line(
    old: str, new: str, line: int, message: str
) -> None:
    ((at, field, said),) = told(DOCUMENT + INLINE.replace(old, new))
    assert (at, field) == (line, "interaction")
    assert said.startswith(message)


NAME_RULE = "a name is a letter, then letters, digits and `_`"


def test_a_name_that_text_cannot_hold_is_told_with_json_as_the_way_out() -> None:
    written = (DOCUMENT + INLINE).replace("Q", "Q-1").replace("a:", "a.b:")
    ((_, _, said),) = told(written.replace("message: a", "message: a.b"))
    way_out = ": rename Q-1, or name a .json file with the interaction"
    assert said.startswith("line 2 of it: expected `,` or `)` after an operand")
    assert said.endswith(f"found '-'; {NAME_RULE}{way_out}")


def test_what_no_document_may_hold_either_is_told_without_json() -> None:
    ((_, _, said),) = told(DOCUMENT + INLINE.replace("-> Q", "-> Q-1"))
    assert said.endswith(f"found '-'; {NAME_RULE}")


def test_a_name_that_text_cannot_hold_may_be_in_json(tmp_path: Path) -> None:
    nodes = [{"op": "action", "action": "Q-1?a"}]
    interaction = {"kind": "interaction", "nodes": nodes}
    tmp_path.joinpath("i.json").write_text(json.dumps(interaction), encoding="utf-8")
    written = DOCUMENT.replace("Q", "Q-1") + "interaction: i.json\n"
    tmp_path.joinpath("d.yaml").write_text(written, encoding="utf-8")
    stated = load_document(tmp_path / "d.yaml").interaction
    assert stated is not None
    assert text(stated.interaction) == "Q-1?a"


def test_what_is_wrong_in_a_file_is_said_with_the_file_and_the_line(tmp_path: Path) -> None:
    tmp_path.joinpath("i.hif").write_text("seq(go -> P,\nP -- b -> Q)", encoding="utf-8")
    tmp_path.joinpath("d.yaml").write_text(DOCUMENT + "interaction: i.hif\n", encoding="utf-8")
    with pytest.raises(DocumentError, match=r"i\.hif:2: unknown message 'b'"):
        load_document(tmp_path / "d.yaml")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no.hif", "cannot be read: there is no such file"),
        ("empty.hif", "is empty: expected"),
    ],
)
def test_a_file_that_is_not_there_is_named(name: str, message: str, tmp_path: Path) -> None:
    tmp_path.joinpath("empty.hif").touch()
    document = tmp_path / "d.yaml"
    document.write_text(f"{DOCUMENT}interaction: {name}\n", encoding="utf-8")
    with pytest.raises(DocumentError) as caught:
        load_document(document)
    (problem,) = caught.value.problems
    assert (problem.file, problem.line, problem.field) == (str(document), 8, "interaction")
    assert problem.message.startswith(f"{tmp_path / name}: {message}")


def test_an_interaction_needs_an_application() -> None:
    text = 'property: {sequences: [{steps: ["A -> B : m"]}]}\ninteraction: "A -- m -> B"\n'
    assert told(text) == [(2, "interaction", "needs an application: what is checked are its runs")]


def test_an_action_that_nobody_does_is_warned_about_once() -> None:
    stated = INLINE.replace("P -- a -> Q", "Q -- a -> P, Q -- a -> P")
    warnings = parsed(DOCUMENT + stated).warnings
    assert [(w.line, w.field, w.message) for w in warnings] == [
        (8, "interaction", "Q!a never happens: Q never sends a"),
        (8, "interaction", "P?a never happens: P never handles a"),
    ]


def test_a_log_of_an_unknown_process_is_refused() -> None:
    ((line, field, message),) = told(
        DOCUMENT + "observation:\n  logs:\n    - {processes: [P, QQ]}\n"
    )
    assert (line, field) == (10, "observation.logs[0].processes[1]")
    assert message.startswith("unknown process 'QQ'")


@pytest.mark.parametrize("logs", ["[{processes: [P, P]}]", "[{processes: [P]}, {processes: [P]}]"])
def test_a_process_has_one_log(logs: str) -> None:
    ((_, field, message),) = told(DOCUMENT + f"observation: {{logs: {logs}}}\n")
    assert field.startswith("observation.logs[")
    assert message == "P writes log number 1 of this list, too: a process has one log"


@pytest.mark.parametrize(
    ("observation", "field"),
    [
        ("{logs: [{processes: []}]}", "observation.logs[0].processes"),
        ("{start: 5}", "observation.start"),
        ("{begin: {constant: 5}}", "observation.begin"),
        ("{end: {uniform: [5, 1]}}", "observation.end.uniform"),
    ],
)
def test_what_observation_does_not_know_is_refused(observation: str, field: str) -> None:
    ((line, at, _),) = told(DOCUMENT + f"observation: {observation}\n")
    assert (line, at) == (8, field)
