"""Several documents read as one, and some of the rules of one."""

from __future__ import annotations

from pathlib import Path

import pytest

from choreomon.core.errors import DocumentError
from choreomon.documents.read import load_document
from choreomon.documents.several import load_documents, with_rules
from choreomon.properties.progress import rules_of

RULES = """
rules:
  - {id: first, never: "a -> b : m", after: "b -> a : n"}
  - {id: second, for_each: [order], severity: note, never: "a -> c : ship(order)"}
"""
PROPERTY = """
name: one after the other
property:
  sequences:
    - steps: ["a -> b : m", "b -> d : k"]
"""


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    one, other = tmp_path / "rules.yaml", tmp_path / "sequence.yaml"
    one.write_text(RULES)
    other.write_text(PROPERTY)
    return one, other


def test_rules_of_several_files_are_judged_together(files: tuple[Path, Path]) -> None:
    document = load_documents(files)
    assert document.processes == ("a", "b", "c", "d")
    assert document.property is not None
    automaton = document.property.automaton
    assert len(set(automaton.states)) == len(automaton.states) == 8
    told = [(stated.name, stated.file, stated.line) for stated, _ in automaton.rules]
    assert told == [
        ("first", str(files[0]), 3),
        ("second", str(files[0]), 4),
        ("sequence", str(files[1]), 3),
    ]
    assert [rule.steps for rule in rules_of(automaton)] == [2, 1, 2]
    assert document.property.parameters is not None
    assert document.property.parameters.names == ("order",)


def test_one_file_is_read_as_it_is(files: tuple[Path, Path]) -> None:
    one, other = load_documents(files[:1]), load_document(files[0])
    assert one.property == other.property


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('rules: [{id: first, never: "x -> y : z"}]', "'first' is the id of a rule in {other}:"),
        ('rules: [{id: third, never: "a -> c : ship"}]', "one message carries the same"),
        ("application: {processes: [{id: a}]}", "has no property and no rules"),
    ],
)
def test_files_that_do_not_go_together_are_refused(
    files: tuple[Path, Path], text: str, told: str
) -> None:
    files[1].write_text(text)
    with pytest.raises(DocumentError) as refused:
        load_documents(files)
    assert told.format(other=files[0]) in str(refused.value)
    assert str(files[1]) in str(refused.value)


def test_some_rules_alone_are_for_what_they_are_for(files: tuple[Path, Path]) -> None:
    document = with_rules(load_document(files[0]), ["first"])
    assert document.property is not None
    assert [stated.id for stated, _ in document.property.automaton.rules] == ["first"]
    assert document.property.parameters is None
    assert {label.message.name for label in document.property.automaton.labels} == {"m", "n"}
    with pytest.raises(ValueError, match="unknown rule 'frist'; did you mean 'first'"):
        with_rules(document, ["frist"])


FORGETS = """
rules:
  - id: forgets
    for_each: [order]
    fresh: "a -> b : open(order)"
    forget_after: 30 days
    never: "a -> c : ship(order)"
    after: "b -> a : refund(order)"
"""


def test_steps_are_told_as_in_each_file_and_so_are_those_of_some_rules(
    files: tuple[Path, Path],
) -> None:
    document = load_documents(files)
    assert document.property is not None
    assert document.property.automaton.sequences == (2, 1, 2)
    one = with_rules(document, ["second", "sequence"]).property
    assert one is not None
    assert one.automaton.sequences == (1, 2)
    assert one.automaton.states == ("q0", "q1", "q2", "q3", "q4")


def test_what_is_forgotten_is_kept_for_several_files_and_for_some_rules(
    files: tuple[Path, Path],
) -> None:
    files[0].write_text(FORGETS)
    for document in (load_documents(files), with_rules(load_documents(files), ["forgets"])):
        assert document.property is not None
        parameters = document.property.parameters
        assert parameters is not None
        assert parameters.forgetting is not None
        assert parameters.forgetting.bindings == {("order",)}


def test_what_one_file_forgets_no_other_one_remembers(files: tuple[Path, Path]) -> None:
    files[0].write_text(FORGETS)
    files[1].write_text("""
rules:
  - {id: other, for_each: [order], never: "a -> d : pay(order)", after: "b -> a : refund(order)"}
""")
    with pytest.raises(DocumentError) as refused:
        load_documents(files)
    assert "forgets what (order) is remembered of" in str(refused.value)
    assert str(files[1]) in str(refused.value)
