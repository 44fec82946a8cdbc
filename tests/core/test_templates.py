"""Texts and their templates."""

from __future__ import annotations

from random import Random

import pytest

from choreomon.core import templates as templates_module
from choreomon.core.templates import VARIABLE, Templates


def found(*texts: str) -> dict[str, int]:
    templates = Templates(100)
    for text in texts:
        templates.add(text)
    return {str(each): each.texts for each in templates.all}


def test_words_that_differ_are_variable() -> None:
    assert found(
        "Scanning 12 rows of orders",
        "Scanning 7 rows of stock",
        "Connected",
        "Scanning 9 rows of orders",
        "Shutting down now",
    ) == {"Scanning <*> rows of <*>": 3, "Connected": 1, "Shutting down now": 1}


def test_texts_of_other_lengths_or_beginnings_are_apart() -> None:
    assert found("a b c", "a b c d", "x b c", "a y z") == {
        "a b c": 1,
        "a b c d": 1,
        "x b c": 1,
        "a y z": 1,
    }


@pytest.mark.parametrize("seed", range(40))
def test_every_text_fits_its_template_and_is_counted_once(seed: int) -> None:
    random = Random(seed)
    words = ("got", "sent", "order", "7", "x1", "to", "")
    lengths = [random.randint(0, 5) for _ in range(random.randint(1, 60))]
    texts = [" ".join(random.choices(words, k=length)) for length in lengths]
    templates = Templates(1_000)
    joined = [templates.add(text) for text in texts]
    for text, template in zip(texts, joined, strict=True):
        assert template is not None
        own = text.split()
        assert len(own) == len(template.words)
        assert all(t in (VARIABLE, w) for t, w in zip(template.words, own, strict=True))
    assert sum(each.texts for each in templates.all) == len(texts)
    assert all(each.example in texts for each in templates.all)


def test_templates_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    templates = Templates(2)
    assert [templates.add(text) is None for text in ("a", "b", "c", "a")] == [
        False,
        False,
        True,
        False,
    ]
    monkeypatch.setattr(templates_module, "MOST_ALIKE", 1)
    crowded = Templates(10)
    assert crowded.add("a b c d") is not None
    assert crowded.add("a x y z") is None
    long = Templates(10)
    assert long.add("w " * 1000) is not None
    assert len(long.all[0].words) == templates_module.MOST_WORDS + 1
