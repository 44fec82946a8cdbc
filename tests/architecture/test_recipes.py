"""The recipes of CONTRIBUTING, "How to add", name places that exist, and all that list a thing."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from choreomon.core.strategy_names import STRATEGIES
from choreomon.logs.formats import FORMATS
from choreomon.properties.tables import RULES_NAMES
from tests.architecture.test_architecture import ROOT, modules, tree_of

CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
RECIPES = CONTRIBUTING.partition("## How to add\n")[2].partition("\n## ")[0]


def recipe(name: str) -> str:
    """The recipe that begins so."""
    (found,) = (part for part in RECIPES.split("\n\n") if part.strip().startswith(f"**{name}"))
    return found


@cache
def strings() -> dict[str, set[str]]:
    """Those in each module, by its path."""
    return {
        str(path.relative_to(ROOT)): {
            node.value
            for node in ast.walk(tree_of(path))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        for path in modules()
    }


def listing(names: tuple[str, ...]) -> set[str]:
    """Modules that hold each of these names as a string."""
    return {path for path, held in strings().items() if held >= set(names)}


def places(text: str) -> list[str]:
    """The files and folders of the repository that a text names."""
    return re.findall(r"`((?:choreomon|simulator|scenarios|tests|docs)/[^`\s]*)`", text)


def test_every_place_that_a_recipe_names_exists() -> None:
    named = [place for place in places(RECIPES) if "NAME" not in place]
    assert len(named) > 25
    assert [place for place in named if not (ROOT / place).exists()] == []


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("A format of logs.", tuple(FORMATS)),
        ("A strategy.", STRATEGIES),
        ("A set of rules.", RULES_NAMES),
        ("A kind of sink.", ("stdout", "file", "webhook")),
    ],
)
def test_a_recipe_names_every_module_that_lists_the_thing(
    name: str, names: tuple[str, ...]
) -> None:
    assert listing(names)
    assert listing(names) <= set(places(recipe(name)))


def test_a_second_list_would_be_noticed() -> None:
    assert not listing(STRATEGIES) <= set(places(recipe("A set of rules.")))
