"""Automata of interactions: their languages, their sizes, and what is said of those that are too
large."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from choreomon.automata.automaton import automaton
from choreomon.automata.minimization import minimal
from choreomon.automata.words import words
from choreomon.core.action import parse_action
from choreomon.documents.interactions import load_interaction
from choreomon.hibou.model import read_interaction
from choreomon.interaction.denotation import traces
from choreomon.interaction.loop_heads import without_heads
from choreomon.interaction.session import Session
from choreomon.interaction.term import (
    EMPTY,
    LOOPS,
    Interaction,
    Operator,
    alt,
    loop_h,
    loop_p,
    loop_s,
    loop_w,
    par,
    seq,
    strict,
    subterms,
)
from choreomon.interaction_files.loading import load_signature
from choreomon.verify import synthesis
from choreomon.verify.synthesis import Growth, TooLarge, responsible, synthesize
from tests.interaction.drawn import a, interactions, passing

OFFLINE = Path(__file__).parents[1] / "data" / "offline"
DATA_SET = [
    json.loads(line)
    for line in (OFFLINE / "multiprefix-interactions.jsonl").read_text("utf-8").splitlines()
]


def model(name: str) -> Interaction:
    file = OFFLINE / "models" / name
    return load_interaction(f"{file}.hif", load_signature(f"{file}.hsf"))


# ---------------------------------------------------------------- languages

LENGTH = 5
HEADED = (
    loop_h(alt(a("l1?a"), a("l2?a"), strict(a("l1?a"), loop_h(a("l2!a"))))),
    loop_h(alt(a("l1!b"), strict(a("l2?b"), loop_w(a("l1?a")), a("l2?a")))),
    loop_h(alt(a("l2!b"), strict(a("l1?a"), a("l2!a"), a("l1?a")))),
    alt(a("l1?b"), loop_h(alt(strict(a("l1?b"), a("l2!a"), a("l1!a")), a("l2!b")))),
)
"""Finite, and none of them means the same with `loopW` for `loopH`; random ones are rarely so."""


def drawn(number: int) -> Iterator[Interaction]:
    yield from HEADED
    yield from interactions(seed=7, number=number, max_size=12)


def wrong_languages(terms: Iterable[Interaction]) -> tuple[int, dict[Operator, int]]:
    """How many automata accept other words than their interactions have traces; and of those that
    there are, how many have each kind of loop."""
    wrong = 0
    loops = dict.fromkeys(LOOPS, 0)
    for term in terms:
        try:
            made = synthesize(term, max_states=150, max_symbols=60).automaton
        except TooLarge:
            continue
        accepted = traces(term, LENGTH)
        wrong += words(made, LENGTH) != accepted or words(minimal(made), LENGTH) != accepted
        for operator in LOOPS:
            loops[operator] += any(part.operator is operator for part in subterms(term))
    return wrong, loops


def test_automata_accept_the_accepted_traces() -> None:
    wrong, loops = wrong_languages(drawn(3_000))
    assert wrong == 0
    assert min(loops.values()) > 100, loops


def without_choices(term: Interaction) -> Interaction:
    return term.left if term.operator is Operator.ALT and term.left is not None else term


@pytest.mark.parametrize("planted", [without_heads, without_choices])
def test_other_languages_are_noticed(
    monkeypatch: pytest.MonkeyPatch, planted: Callable[[Interaction], Interaction]
) -> None:
    true = synthesis.normal
    monkeypatch.setattr(synthesis, "normal", lambda term: true(planted(term)))
    assert wrong_languages(drawn(200))[0] > 0


def test_states_are_follow_ups_and_every_one_can_end() -> None:
    made, follow_ups = synthesize(model("sensor"))
    assert len(set(follow_ups)) == len(follow_ups) == made.states
    assert made.initial == 1
    for state, term in enumerate(follow_ups):
        assert bool(made.final >> state & 1) == term.terminates
    assert minimal(made).states > 0
    targets = [edge.target for edge in made.edges]
    assert [*dict.fromkeys(t for t in targets if t)] == sorted(set(targets) - {0})


def test_the_same_interaction_gives_the_same_automaton_in_every_session() -> None:
    with Session():
        a("z!first")  # other bits for lifelines
        first = synthesize(model("abp")).automaton
    assert synthesize(model("abp")).automaton.digest == first.digest


def test_letters_and_lifelines_are_those_of_the_interaction() -> None:
    both = [parse_action("l1!a"), parse_action("l2?a")]
    term = seq(passing("l1", "a", "l2"), EMPTY)
    assert synthesize(term).automaton == automaton(
        [(0, both[0], 1), (1, both[1], 2)], initial=[0], final=[2]
    )
    assert synthesize(EMPTY).automaton == automaton([], initial=[0], final=[0])


def test_interactions_of_other_sessions_are_refused() -> None:
    with Session():
        term = passing("l1", "a", "l2")
    with pytest.raises(ValueError, match="another session"):
        synthesize(term)


# ---------------------------------------------------------------- sizes


@pytest.mark.parametrize(
    ("name", "follow_ups", "fewest"),
    [
        ("abp", 68, 64),
        ("hr", 100, 100),
        ("rover", 90, 90),
        ("sensor", 168, 171),
        ("slices_i1", 11, 11),
        ("platoon2", 10, 10),
        ("platoon3", 90, 90),
        ("platoon4", 752, 752),
        ("platoon5", 6_440, 6_440),
    ],
)
def test_protocols_have_automata_of_these_sizes(name: str, follow_ups: int, fewest: int) -> None:
    made = synthesize(model(name)).automaton
    assert (made.states, minimal(made).states) == (follow_ups, fewest)
    assert made.is_deterministic == (name not in ("abp", "sensor"))


SIZES = {"i0": 64, "i6": 17, "i7": 114, "i9": 37, "i14": 92}
SIZES |= {"i17": 18, "i19": 44, "i24": 124, "i26": 802, "i28": 120}
"""Of the data set's interactions those that have an automaton of fewer than 5,000 states."""


@pytest.mark.parametrize("entry", DATA_SET, ids=lambda entry: entry["name"])
def test_ten_interactions_of_the_data_set_have_automata(entry: dict[str, str]) -> None:
    term = read_interaction(entry["hif"])
    if entry["name"] in SIZES:
        assert synthesize(term, max_states=5_000).automaton.states == SIZES[entry["name"]]
    else:
        with pytest.raises(TooLarge):
            synthesize(term, max_states=5_000)


def test_the_bounds_are_the_largest_that_fit() -> None:
    term = model("platoon2")
    assert synthesize(term, max_states=10).automaton.states == 10
    with pytest.raises(TooLarge, match="more than 9 states") as states:
        synthesize(term, max_states=9)
    assert (states.value.bound, states.value.limit) == ("states", 9)
    assert max(one.size for one in synthesize(term).follow_ups) == 30
    assert synthesize(term, max_symbols=30).automaton.states == 10
    with pytest.raises(TooLarge, match="of more than 29 symbols") as symbols:
        synthesize(term, max_symbols=29)
    assert (symbols.value.bound, symbols.value.limit) == ("symbols", 29)


def test_terms_that_grow_end_at_the_bound_of_symbols() -> None:
    grows = next(entry for entry in DATA_SET if entry["name"] == "i1")
    with pytest.raises(TooLarge, match="more than 300 symbols"):
        synthesize(read_interaction(grows["hif"]))
    assert synthesis.default_symbols(seq(*[passing("l1", "a", "l2")] * 60)) == 10 * (60 * 3 + 59)


def test_states_are_told_as_they_are_done() -> None:
    told: list[int] = []
    synthesize(model("platoon2"), on_state=told.append)
    assert told == [*range(10)]


# ---------------------------------------------------------------- who is responsible

CONNECTED = loop_w(seq(passing("l1", "a", "l2"), passing("l2", "b", "l1")))
RUNS_AHEAD = loop_w(passing("l1", "a", "l2"))


def test_the_smallest_loop_that_is_too_large_alone_is_named() -> None:
    outer = loop_s(alt(CONNECTED, RUNS_AHEAD))
    assert responsible(seq(CONNECTED, outer), max_states=100) == Growth(RUNS_AHEAD, alone=True)


def test_a_loop_that_is_too_large_together_with_others_is_named() -> None:
    two = loop_h(passing("l3", "b", "l1"))
    side_by_side = par(CONNECTED, loop_s(passing("l3", "a", "l3")))
    assert synthesize(side_by_side).automaton.states == 8
    assert responsible(side_by_side, max_states=7) == Growth(CONNECTED, alone=False)
    assert responsible(par(two, CONNECTED), max_states=30) == Growth(two, alone=True)


def test_without_a_loop_none_is_named() -> None:
    many = par(*[passing("l1", "a", "l2"), passing("l2", "b", "l3"), passing("l3", "a", "l1")])
    with pytest.raises(TooLarge):
        synthesize(many, max_states=20)
    assert responsible(many, max_states=20) is None


def test_looking_for_the_loop_ends_at_its_bound() -> None:
    """All of these loops are small, and together they are much too large."""
    loops = [loop_s(strict(*[a(f"l{n}!{m}") for m in "abcdefgh"])) for n in range(40)]
    told: list[int] = []
    assert responsible(par(*loops), max_states=50, on_state=told.append) is None
    assert len(told) == 4 * 50
    assert responsible(loop_p(passing("l1", "a", "l2")), max_states=50) is not None


@pytest.mark.parametrize(
    ("name", "loop"),
    [
        ("slices_i2", "loopW(alt(strict(l1!m2,l2?m2),strict(l2!m3,l3?m3)))"),
        ("mqtt", "loopP("),
    ],
)
def test_the_loops_of_protocols_that_are_infinite(name: str, loop: str) -> None:
    term = model(name)
    with pytest.raises(TooLarge):
        synthesize(term, max_states=2_000)
    found = responsible(term, max_states=2_000)
    assert found is not None
    assert found.alone
    assert str(found.loop).startswith(loop)


def test_automata_are_small_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    abp = model("abp")
    small = synthesis.small_automaton(abp)
    assert small == synthesize(abp).automaton
    assert synthesis.small_automaton(loop_w(passing("a", "m", "b"))) is None
    for bound, value in (
        ("SMALL_STATES", 67),
        ("SMALL_SYMBOLS", abp.size - 1),
        ("SMALL_GROWTH", 0),
    ):
        with monkeypatch.context() as changed:
            changed.setattr(synthesis, bound, value)
            assert synthesis.small_automaton(abp) is None
