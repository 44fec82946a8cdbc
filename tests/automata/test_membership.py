"""Logs against automata: the layered search, the product of all, and accepted words cut to
pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

import pytest

from choreomon.automata.automaton import Automaton, automaton
from choreomon.automata.membership import WHOLE, Log, Membership, Missing, membership
from choreomon.automata.reference import explains
from choreomon.automata.words import words
from choreomon.core.action import Action, emission
from tests.automata.drawn import LETTERS, drawn_automaton

PREFIXES = Missing(after=True)
SLICES = Missing(before=True, after=True)
QUESTIONS = (WHOLE, PREFIXES, SLICES)
A, BX, BM, CY, CX = LETTERS
CLOCKS = (
    (("a",), ("b",), ("c",)),
    (("a", "c"), ("b",), ("d",)),
    (("a", "b", "c"),),
    (("b",), ("c",)),
)


def drawn_logs(rng: Random, one: Automaton) -> list[Log]:
    """What is left of an accepted word, or of a few letters, of which one may be exchanged."""
    known = sorted(words(one, 5))
    word = list(rng.choice(known)) if known and rng.random() < 0.7 else []
    if not word:
        word = [rng.choice(one.letters) for _ in range(rng.randint(0, 4))]
    if word and rng.random() < 0.4:
        word[rng.randrange(len(word))] = rng.choice(LETTERS)
    logs: list[Log] = []
    for clock in rng.choice(CLOCKS):
        told = [action for action in word if action.lifeline in clock]
        if rng.random() < 0.6:
            first = rng.randint(0, len(told))
            told = told[first * (rng.random() < 0.5) : rng.randint(first, len(told))]
        logs.append((clock, tuple(told)))
    return logs


def cases(number: int) -> Iterator[tuple[Automaton, list[Log]]]:
    for seed in range(number):
        rng = Random(seed)
        one = drawn_automaton(rng, 5, 4)
        for _ in range(4):
            yield one, drawn_logs(rng, one)


Decided = Callable[[Automaton, list[Log], Missing], bool]


def searched(one: Automaton, logs: list[Log], missing: Missing) -> bool:
    return membership(one, logs, missing).explained


def disagreements(decided: Decided, number: int) -> tuple[int, int]:
    """How often a decision is not that of the product of all, and how often that says yes."""
    wrong = yes = 0
    for one, logs in cases(number):
        for missing in QUESTIONS:
            truth = explains(one, logs, missing)
            wrong += decided(one, logs, missing) is not truth
            yes += truth
    return wrong, yes


def test_the_search_and_the_product_agree() -> None:
    wrong, yes = disagreements(searched, 1700)  # 20,400 questions
    assert wrong == 0
    assert 5_000 < yes < 15_000


def reads_what_is_missing_once(one: Automaton, logs: list[Log], missing: Missing) -> bool:
    shorter = automaton(
        [(s, one.letters[by], t) for s, by, t in one.edges if s <= t],
        initial=[s for s in range(one.states) if one.initial >> s & 1],
        final=[s for s in range(one.states) if one.final >> s & 1],
        states=one.states,
        letters=one.letters,
    )
    return searched(shorter, logs, missing)


def forgets_silent_lifelines(one: Automaton, logs: list[Log], missing: Missing) -> bool:
    told = {name for clock, _ in logs for name in clock}
    return searched(one, [*logs, (sorted(set("abcd") - told), ())], missing)


def takes_slices_for_prefixes(one: Automaton, logs: list[Log], missing: Missing) -> bool:
    return searched(one, logs, missing._replace(before=False))


def orders_logs(one: Automaton, logs: list[Log], missing: Missing) -> bool:
    together = sorted({name for clock, _ in logs for name in clock})
    return searched(one, [(together, [act for _, log in logs for act in log])], missing)


@pytest.mark.parametrize(
    "planted",
    [
        reads_what_is_missing_once,
        forgets_silent_lifelines,
        takes_slices_for_prefixes,
        orders_logs,
    ],
)
def test_wrong_searches_are_noticed(planted: Decided) -> None:
    assert disagreements(planted, 100)[0] > 0


def pieces(word: tuple[Action, ...], clocks: list[tuple[str, ...]]) -> list[list[Action]]:
    return [[action for action in word if action.lifeline in clock] for clock in clocks]


def fits(log: list[Action], whole: list[Action], missing: Missing) -> bool:
    starts = range(len(whole) + 1) if missing.before else (0,)
    ends = range(len(whole) + 1) if missing.after else (len(whole),)
    return any(log == whole[start:end] for start in starts for end in ends if start <= end)


def test_what_accepted_words_explain_is_explained() -> None:
    """By all words of at most six letters: what they explain is explained; what is explained and
    by none of these needs longer ones, which automata without cycles do not have."""
    found = 0
    for one, logs in cases(400):
        acyclic = all(edge.source < edge.target for edge in one.edges)
        clocks = [tuple(clock) for clock, _ in logs]
        told = {name for clock in clocks for name in clock}
        for missing in QUESTIONS:
            truth = any(
                all(
                    fits(list(log), whole, missing)
                    for (_, log), whole in zip(logs, pieces(word, clocks), strict=True)
                )
                for word in words(one, 6)
                if all(action.lifeline in told for action in word)
            )
            mine = searched(one, logs, missing)
            if truth or acyclic:
                assert mine is truth
                found += truth
    assert found > 500


# ---------------------------------------------------------------- by hand

DIAMOND = automaton(
    [(0, A, 1), (1, BX, 3), (0, BX, 2), (2, A, 3), (3, CY, 4)], initial=[0], final=[4]
)


def test_cuts_are_counted() -> None:
    logs: list[Log] = [(("a",), [A]), (("b",), [BX]), (("c",), [CY])]
    # Nothing; a; b; both; all three.
    assert membership(DIAMOND, logs) == Membership(True, 5)
    assert membership(DIAMOND, [*logs[:2], (("c",), [])]) == Membership(False, 4)
    assert membership(DIAMOND, [*logs[:2], (("c",), [])], PREFIXES) == Membership(True, 4)
    assert membership(DIAMOND, [(("c",), [CY])], SLICES) == Membership(False, 1)
    assert membership(DIAMOND, [(("a", "b"), []), (("c",), [CY])], SLICES) == Membership(True, 2)


def test_what_is_no_letter_is_explained_by_nothing() -> None:
    logs: list[Log] = [(("a",), [A, emission("a", "never")])]
    assert membership(DIAMOND, logs, SLICES) == Membership(False, 0)
    nothing = automaton([], initial=[], final=[0])
    assert membership(nothing, []) == Membership(False, 0)
    assert membership(automaton([], initial=[0], final=[0]), [(("z",), [])]).explained


def test_every_cut_asks_for_the_budget() -> None:
    asked: list[int] = []

    def check() -> None:
        asked.append(1)
        if len(asked) == 3:
            raise TimeoutError

    with pytest.raises(TimeoutError):
        membership(DIAMOND, [(("a",), [A]), (("b",), [BX]), (("c",), [CY])], WHOLE, check)
    assert len(asked) == 3
