"""What is written as a diagram is the same interaction when it is read again."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TypeAlias

import pytest
from hypothesis import given, settings

from choreomon.core.action import Action
from choreomon.core.errors import DocumentError
from choreomon.diagrams.mermaid import read_mermaid
from choreomon.diagrams.plantuml import read_plantuml
from choreomon.documents.interactions import load_interaction
from choreomon.interaction import diagram
from choreomon.interaction.generation import ALL_OPERATORS, random_interaction
from choreomon.interaction.lifelines import mask
from choreomon.interaction.term import (
    EMPTY,
    Interaction,
    act,
    alt,
    coreg,
    loop_s,
    seq,
    strict,
)
from choreomon.pictures.as_text import sequence_text
from choreomon.pictures.as_text.sequence_text import mermaid_sequence, plantuml_sequence
from choreomon.pictures.interactions.sequence_diagram_parts import operands_of
from tests.diagrams.samples import HOSTILE, interactions
from tests.hibou.samples import MODEL_NAMES, MODELS
from tests.interaction.drawn import a, passing

Language: TypeAlias = tuple[Callable[[Interaction], str], Callable[[str], Interaction]]
LANGUAGES: dict[str, Language] = {
    "mermaid": (mermaid_sequence, read_mermaid),
    "plantuml": (plantuml_sequence, read_plantuml),
}
both = pytest.mark.parametrize("language", LANGUAGES.values(), ids=LANGUAGES)


def comes_back(language: Language, term: Interaction) -> bool:
    write, read = language
    try:
        return read(write(term)) is term
    except DocumentError:
        return False


def breaches(language: Language, number: int = 300) -> int:
    """Of how many random interactions over all operators the law does not hold."""
    rng = Random(5)
    drawn = [
        seq(
            passing("a", "m", "b", "c"),
            random_interaction(
                rng,
                lifelines=["a", "b", "the end", "env"],
                messages=["m", "n (the same message)", "x; #y"],
                operators=ALL_OPERATORS,
                min_depth=3,
                min_size=5,
                max_size=50,
            ),
        )
        for _ in range(number)
    ]
    return sum(not comes_back(language, term) for term in drawn)


@both
def test_random_interactions_of_all_operators_come_back(language: Language) -> None:
    assert breaches(language, 2000) == 0


@both
@settings(max_examples=300)
@given(term=interactions())
def test_any_interaction_comes_back(language: Language, term: Interaction) -> None:
    assert comes_back(language, term)


@both
@pytest.mark.parametrize("name", HOSTILE)
def test_any_name_comes_back(language: Language, name: str) -> None:
    sent = act(Action(name, "!", name))
    passed = strict(sent, act(Action("b", "?", name)))
    term = seq(passed, alt(sent, coreg(mask([name]), passed, EMPTY)), loop_s(sent))
    assert comes_back(language, term)


@both
@pytest.mark.parametrize("name", MODEL_NAMES)
def test_published_models_come_back(language: Language, name: str) -> None:
    assert comes_back(language, load_interaction(MODELS / f"{name}.hif"))


@both
@pytest.mark.parametrize(
    "term",
    [
        EMPTY,
        seq(EMPTY, a("l1!m")),
        seq(a("l1!m"), EMPTY),
        alt(EMPTY, EMPTY),
        alt(EMPTY, a("l1!m")),
        alt(a("l1!m"), a("l2!m"), EMPTY),
        strict(a("l1!m"), strict(a("l2?m"), a("l3?m"))),
        strict(a("l1!m"), seq(a("l2?m"), a("l2?m"))),
        strict(a("l1!m"), seq(seq(a("l2?m"), a("l3?m")), a("l3?m"))),
        strict(a("l3!n"), strict(a("l1!m"), a("l2?m"))),
        seq(passing("l1", "m", "l2", "l3"), passing("l1", "m", "l2", "l3")),
        coreg(mask(["only_here"]), a("l1!m"), a("l2!m")),
    ],
    ids=str,
)
def test_interactions_that_are_written_alike_come_back(
    language: Language, term: Interaction
) -> None:
    assert comes_back(language, term)


@both
@pytest.mark.parametrize(
    ("module", "name", "planted"),
    [
        (diagram, "operands", operands_of),  # what is nested to the left is joined, too
        (sequence_text, "SAME", " (again)"),
        (sequence_text, "OUTSIDE", ("other", "environment")),
    ],
)
def test_the_law_sees_planted_bugs(
    monkeypatch: pytest.MonkeyPatch, language: Language, module: object, name: str, planted: object
) -> None:
    assert breaches(language) == 0
    monkeypatch.setattr(module, name, planted)
    assert breaches(language) > 0


@both
def test_any_nesting_comes_back(language: Language) -> None:
    term = a("l1!m")
    for _ in range(5000):
        term = loop_s(term)
    assert comes_back(language, term)
