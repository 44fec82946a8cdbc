"""Each pattern beside its definition by positions, over every short word and many longer ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from random import Random

import pytest

from choreomon.core.labels import CarryingLabel
from choreomon.core.message import BEGIN, SEND, Label, Message
from choreomon.properties.automaton import SequenceAutomaton, StatedTransition, sequence_automaton
from choreomon.properties.patterns import (
    Pattern,
    PatternAutomaton,
    pattern_automaton,
    pattern_defect,
)
from choreomon.properties.reference import formations

Word = Sequence[str]
Definition = Callable[[Word, int], bool]


def of(*names: str) -> tuple[CarryingLabel, ...]:
    return tuple(CarryingLabel(_label(name)) for name in names)


def _label(name: str) -> Label:
    return Label(SEND, Message("A", name, "B"))


X, P, P2, Q, R = "x", "p", "p2", "q", "r"


def last(word: Word, at: int, *letters: str) -> str:
    """The last of these letters before `at`; empty where there is none."""
    return next((each for each in reversed(word[:at]) if each in letters), "")


def since(word: Word, at: int, opens: Callable[[int], bool]) -> Word | None:
    """What is between the last position that opens and `at`; `None` where none does."""
    places = [place for place in range(at) if opens(place)]
    return word[places[-1] + 1 : at] if places else None


def in_order(word: Word, *letters: str) -> bool:
    """Whether these come one after the other."""
    left = [*letters]
    for each in word:
        if left and each == left[0]:
            left.pop(0)
    return not left


def opened_first(word: Word, at: int) -> Word | None:
    """Since the first q."""
    return word[word.index(Q) + 1 : at] if Q in word[:at] else None


def opened_by_stretch(word: Word, at: int) -> Word | None:
    """Since the first q after the last r."""
    closed = max((place for place in range(at) if word[place] == R), default=-1)
    stretch = word[closed + 1 : at]
    return stretch[stretch.index(Q) + 1 :] if Q in stretch else None


def since_last_r(word: Word, at: int) -> Word:
    found = since(word, at, lambda place: word[place] == R)
    return word[:at] if found is None else found


def x_without(word: Word, *unless: str) -> bool:
    """Whether there is an x before which `unless` did not happen."""
    return any(each == X and not in_order(word[:at], *unless) for at, each in enumerate(word))


PATTERNS: dict[str, tuple[Pattern, Definition]] = {
    "absence": (Pattern(of(X)), lambda w, k: w[k] == X),
    "absence after": (
        Pattern(of(X), after=of(Q)),
        lambda w, k: w[k] == X and Q in w[:k],
    ),
    "absence before": (
        Pattern(of(X), before=of(R)),
        lambda w, k: w[k] == R and X in w[:k],
    ),
    "absence after, told before": (
        Pattern(of(X), after=of(Q), before=of(R)),
        lambda w, k: w[k] == R and X in (opened_first(w, k) or ()),
    ),
    "absence after until": (
        Pattern(of(X), after=of(Q), until=of(R)),
        lambda w, k: w[k] == X and opened_by_stretch(w, k) is not None,
    ),
    "absence between": (
        Pattern(of(X), after=of(Q), until=of(R), told_at_end=True),
        lambda w, k: w[k] == R and X in (opened_by_stretch(w, k) or ()),
    ),
    "precedence": (
        Pattern(of(X), (of(P),)),
        lambda w, k: w[k] == X and P not in w[:k],
    ),
    "precedence until": (
        Pattern(of(X), (of(P),), until=of(R)),
        lambda w, k: w[k] == X and P not in since_last_r(w, k),
    ),
    "precedence after": (
        Pattern(of(X), (of(P),), after=of(Q)),
        lambda w, k: w[k] == X and (found := opened_first(w, k)) is not None and P not in found,
    ),
    "precedence after each": (
        Pattern(of(X), (of(P),), after_each=of(Q)),
        lambda w, k: w[k] == X and last(w, k, Q, P) == Q,
    ),
    "precedence after each until": (
        Pattern(of(X), (of(P),), after_each=of(Q), until=of(R)),
        lambda w, k: w[k] == X and last(w, k, Q, P, R) == Q,
    ),
    "precedence after until": (
        Pattern(of(X), (of(P),), after=of(Q), until=of(R)),
        lambda w, k: (
            w[k] == X and (found := opened_by_stretch(w, k)) is not None and P not in found
        ),
    ),
    "precedence before": (
        Pattern(of(X), (of(P),), before=of(R)),
        lambda w, k: w[k] == R and x_without(w[:k], P),
    ),
    "precedence between": (
        Pattern(of(X), (of(P),), after=of(Q), until=of(R), told_at_end=True),
        lambda w, k: (
            w[k] == R and (found := opened_by_stretch(w, k)) is not None and x_without(found, P)
        ),
    ),
    "precedence of a chain": (
        Pattern(of(X), (of(P), of(P2))),
        lambda w, k: w[k] == X and not in_order(w[:k], P, P2),
    ),
    "precedence of a chain until": (
        Pattern(of(X), (of(P), of(P2)), until=of(R)),
        lambda w, k: w[k] == X and not in_order(since_last_r(w, k), P, P2),
    ),
    "precedence of a chain after": (
        Pattern(of(X), (of(P), of(P2)), after=of(Q)),
        lambda w, k: (
            w[k] == X and (found := opened_first(w, k)) is not None and not in_order(found, P, P2)
        ),
    ),
    "precedence of a chain after each": (
        Pattern(of(X), (of(P), of(P2)), after_each=of(Q)),
        lambda w, k: (
            w[k] == X
            and (found := since(w, k, lambda place: w[place] == Q)) is not None
            and not in_order(found, P, P2)
        ),
    ),
    "precedence of a chain after until": (
        Pattern(of(X), (of(P), of(P2)), after=of(Q), until=of(R)),
        lambda w, k: (
            w[k] == X
            and (found := opened_by_stretch(w, k)) is not None
            and not in_order(found, P, P2)
        ),
    ),
    "precedence of a chain between": (
        Pattern(of(X), (of(P), of(P2)), after=of(Q), until=of(R), told_at_end=True),
        lambda w, k: (
            w[k] == R and (found := opened_by_stretch(w, k)) is not None and x_without(found, P, P2)
        ),
    ),
    "any of several": (
        Pattern(of(X, P2), (of(P, R),), after_each=of(Q)),
        lambda w, k: w[k] in (X, P2) and last(w, k, Q, P, R) == Q,
    ),
}


def automaton_of(body: PatternAutomaton) -> SequenceAutomaton:
    return sequence_automaton(
        initial=("q0",),
        final=(f"q{body.final}",),
        transitions=[
            StatedTransition(f"q{arc.source}", label, f"q{arc.target}", arc.backward)
            for arc in body.arcs
            for label, _ in arc.labels
        ],
    )


def found_in(automaton: SequenceAutomaton, word: Word) -> set[int]:
    """The places; `begin` is the first event of every word."""
    labels = [BEGIN, *map(_label, word)]
    return {each.index - 1 for each in formations(automaton, labels)}


def wrong_words(body: PatternAutomaton, meant: Definition) -> list[Word]:
    """Of all words of up to five letters, and of 20,000 longer ones, those that are judged
    otherwise than they are meant."""
    automaton = automaton_of(body)
    letters = (X, P, P2, Q, R)
    words: list[Word] = [word for size in range(6) for word in product(letters, repeat=size)]
    random = Random(7)
    words += [random.choices(letters, k=random.randint(6, 12)) for _ in range(20_000)]
    return [
        word
        for word in words
        if found_in(automaton, word) != {at for at in range(len(word)) if meant(word, at)}
    ]


@pytest.mark.parametrize("name", PATTERNS)
def test_a_pattern_is_its_definition(name: str) -> None:
    pattern, meant = PATTERNS[name]
    assert pattern_defect(pattern) is None
    assert wrong_words(pattern_automaton(pattern), meant) == []
