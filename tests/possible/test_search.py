"""What a search says of a protocol and a property is what all its runs, one by one, say."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from choreomon.automata.automaton import automaton as word_automaton
from choreomon.core.action import EMISSION, Action, emission, reception
from choreomon.core.message import HANDLE, SEND, Label, Message
from choreomon.interaction.denotation import traces
from choreomon.interaction.step import after
from choreomon.interaction.term import (
    Interaction,
    act,
    alt,
    coreg,
    loop_c,
    loop_h,
    loop_p,
    loop_s,
    loop_w,
    par,
    seq,
    strict,
)
from choreomon.possible import search
from choreomon.possible.automata import AutomatonProtocol
from choreomon.possible.interactions import InteractionProtocol
from choreomon.possible.protocol import Protocol
from choreomon.possible.search import Possibility, each_sequence, possibility
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.reference import formations
from choreomon.properties.sequences import Cancellation, MessageSequence, sequences_automaton

PAIRS = (("a", "b"), ("b", "a"), ("a", "c"), ("c", "b"))
ARROWS = {f"m{s}{r}": (s, r) for s, r in PAIRS}
"""Each message has one sender and one receiver, so that actions say who is at the other end."""

LONGEST = 6
SEEDS = range(1500)
Ask = Callable[[SequenceAutomaton, Protocol[Any]], Possibility]


def label_of(action: Action) -> Label:
    sender, receiver = ARROWS[action.message]
    kind = SEND if action.kind == EMISSION else HANDLE
    return Label(kind, Message(sender, action.message, receiver))


LETTERS = [
    action
    for message, (sender, receiver) in ARROWS.items()
    for action in (emission(sender, message), reception(receiver, message))
]
LABELS = [label_of(action) for action in LETTERS]


def random_property(rng: Random) -> SequenceAutomaton:
    steps = tuple(rng.choice(LABELS) for _ in range(rng.randint(1, 3)))
    cancel = ()
    if len(steps) > 1 and rng.random() < 0.7:
        low = rng.randint(1, len(steps) - 1)
        on = rng.choice(LABELS)
        cancel = (Cancellation(on, (low, rng.randint(low, len(steps) - 1)), rng.randrange(low)),)
    return sequences_automaton([MessageSequence(steps, cancel)])


def random_term(rng: Random, depth: int, *, loops: bool) -> Interaction:
    if depth == 0 or rng.random() < 0.15:
        message = rng.choice([*ARROWS])
        sender, receiver = ARROWS[message]
        sent, taken = act(emission(sender, message)), act(reception(receiver, message))
        return rng.choice([strict(sent, taken)] * 2 + [par(sent, taken), alt(taken, sent)])
    if loops and rng.random() < 0.25:
        body = random_term(rng, depth - 1, loops=loops)
        loop = rng.choice([loop_s, loop_w, loop_p, loop_h])
        return loop(body) if rng.random() < 0.8 else loop_c(body.lifelines & 2, body)
    one, other = (random_term(rng, depth - 1, loops=loops) for _ in range(2))
    made = rng.choice([strict, seq, seq, par, alt])
    return made(one, other) if rng.random() < 0.85 else coreg(one.lifelines & 2, one, other)


def formed_first(automaton: SequenceAutomaton, words: Any) -> int | None:
    found = []
    for word in words:
        found += [f.index + 1 for f in formations(automaton, [*map(label_of, word)])[:1]]
    return min(found, default=None)


def can_begin(term: Interaction, run: tuple[Label, ...]) -> bool:
    rests = {term}
    for kind, message in run:
        made = emission if kind == SEND else reception
        action = made(message.sender if kind == SEND else message.receiver, message.name)
        rests = {rest for one in rests for rest in after(one, act(action))}
    return bool(rests)


def wrong_about_interaction(seed: int, ask: Ask) -> bool:
    rng = Random(seed)
    loops = seed % 3 == 0
    term = random_term(rng, 2, loops=loops)
    automaton = random_property(rng)
    found = ask(automaton, InteractionProtocol(term, automaton.labels))
    first = formed_first(automaton, traces(term, LONGEST if loops else 8))
    if found.answer == "possible":
        formed = formations(automaton, found.run)
        good = bool(formed) and formed[0].index == len(found.run) - 1
        good = good and can_begin(term, found.run)
        # An accepted trace with loops may be too long for the definition, never too short.
        ends = first is None or len(found.run) <= first
        return not (good and ends and (loops or len(found.run) == first))
    return found.answer == "impossible" and first is not None


def wrong_about_every_run(seed: int, ask: Callable[..., bool]) -> bool:
    """Beside all accepted runs, of terms with loops the shorter ones."""
    rng = Random(seed)
    loops = seed % 3 == 0
    term = random_term(rng, 2, loops=loops)
    automaton = random_property(rng)
    said = ask(automaton, InteractionProtocol(term, automaton.labels))
    accepted = [*traces(term, LONGEST if loops else 8)]
    by_all = bool(accepted) and all(
        formations(automaton, [*map(label_of, trace)]) for trace in accepted
    )
    return said and bool(accepted) and not by_all if loops else said != by_all


def every_run(automaton: SequenceAutomaton, protocol: Protocol[Any]) -> bool:
    return search.formed_by_every_run(automaton, protocol, max_states=300)


def whatever_was_formed(automaton: SequenceAutomaton, protocol: Protocol[Any]) -> bool:
    """Whether it is possible is taken for whether it cannot be avoided."""
    return possibility(automaton, protocol).answer == "possible"


def test_what_every_run_does_is_what_all_accepted_runs_do() -> None:
    assert [seed for seed in SEEDS[:300] if wrong_about_every_run(seed, every_run)] == []
    found = 0
    for seed in SEEDS[:300]:
        rng = Random(seed)
        term = random_term(rng, 2, loops=seed % 3 == 0)
        automaton = random_property(rng)
        found += every_run(automaton, InteractionProtocol(term, automaton.labels))
    assert found > 10
    assert any(wrong_about_every_run(seed, whatever_was_formed) for seed in SEEDS)


def wrong_about_automaton(seed: int, ask: Ask) -> bool:
    rng = Random(seed)
    states = rng.randint(1, 4)
    letters = rng.sample(LETTERS, 3)
    edges = {
        (rng.randrange(states), rng.choice(letters), rng.randrange(states))
        for _ in range(states * 2)
    }
    accepted = word_automaton(
        edges, initial=[0], final=[rng.randrange(states)], states=states, letters=LETTERS
    )
    automaton = random_property(rng)
    found = ask(automaton, AutomatonProtocol(accepted, automaton.labels))
    words: list[tuple[Action, ...]] = [()]
    for word in words:  # which grows meanwhile
        if len(word) < LONGEST - 1:
            words += [(*word, letter) for letter in letters]
    first = formed_first(automaton, filter(accepted.accepts, words))
    if first is None:
        # A shortest run has no state twice; what follows it may be too long for the definition.
        return found.answer == "possible" and len(found.run) + states <= LONGEST - 1
    return found.answer != "possible" or len(found.run) > first


def bounded(automaton: SequenceAutomaton, protocol: Protocol[Any]) -> Possibility:
    return possibility(automaton, protocol, max_states=400)


def test_a_search_says_of_interactions_what_their_traces_say() -> None:
    assert [seed for seed in SEEDS if wrong_about_interaction(seed, bounded)] == []


def test_a_search_says_of_automata_what_their_words_say() -> None:
    assert [seed for seed in SEEDS if wrong_about_automaton(seed, bounded)] == []


def test_the_cases_have_all_answers() -> None:
    def answers(seed: int) -> str:
        rng = Random(seed)
        term = random_term(rng, 2, loops=seed % 3 == 0)
        automaton = random_property(rng)
        return possibility(
            automaton, InteractionProtocol(term, automaton.labels), max_states=3
        ).answer

    assert {answers(seed) for seed in range(300)} == {"impossible", "possible", "unknown"}


@pytest.mark.parametrize("bug", ["never cancels", "ignores handles", "at ends only", "no bound"])
def test_planted_bugs_are_seen(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = search.live_stepper

    def planted(automaton: SequenceAutomaton) -> Any:
        step = right(automaton)

        def wrong(label: Label, live: int) -> tuple[int, bool]:
            if bug == "ignores handles" and label.kind == HANDLE:
                return live, False
            following, formed = step(label, live)
            return (live | following if bug == "never cancels" else following), formed

        return wrong

    def ask(automaton: SequenceAutomaton, protocol: Protocol[Any]) -> Possibility:
        found = possibility(automaton, protocol, max_states=3 if bug == "no bound" else 400)
        if found.answer == "unknown" and bug == "no bound":
            return Possibility("impossible", found.states)
        if bug == "at ends only" and found.answer == "possible":
            states = set(protocol.initial())
            for label in found.run:
                states = {to for one in states for on, to in protocol.steps(one) if on == (label,)}
            if all(any(protocol.steps(one)) for one in states):
                return Possibility("impossible", found.states)
        return found

    monkeypatch.setattr(search, "live_stepper", planted)
    assert any(wrong_about_interaction(seed, ask) for seed in SEEDS)


def test_a_bound_is_told_and_never_called_impossible() -> None:
    there = strict(act(emission("a", "mab")), act(reception("b", "mab")))
    term = loop_w(there)
    on = Label(HANDLE, Message("a", "mab", "b"))
    sent = Label(SEND, Message("a", "mab", "b"))
    automaton = sequences_automaton([MessageSequence((on, on, on, on), ())])
    four_times = InteractionProtocol(term, automaton.labels)
    assert possibility(automaton, four_times, max_states=5).answer == "unknown"
    assert possibility(automaton, four_times).run == (sent, on) * 4
    never = sequences_automaton([MessageSequence((on, sent), (Cancellation(sent, (1, 1), 0),))])
    protocol = InteractionProtocol(strict(there, act(reception("c", "mac"))), never.labels)
    assert possibility(never, protocol) == Possibility("impossible", 4)
    assert possibility(never, protocol, max_states=3) == Possibility("unknown", 3)
    assert possibility(never, protocol, max_states=4) == Possibility("impossible", 4)


def test_two_arrows_of_one_name_are_told_apart_by_their_receivers() -> None:
    def arrow(receiver: str) -> Interaction:
        return strict(act(emission("a", "news")), act(reception(receiver, "news")))

    to_b, to_c = (Label(SEND, Message("a", "news", one)) for one in "bc")
    term = strict(arrow("b"), arrow("c"))
    right, wrong = (
        sequences_automaton([MessageSequence(steps)]) for steps in ((to_b, to_c), (to_c, to_b))
    )
    assert len(possibility(right, InteractionProtocol(term, right.labels)).run) == 3
    assert possibility(wrong, InteractionProtocol(term, wrong.labels)).answer == "impossible"


def test_a_message_to_several_is_sent_to_each_in_the_order_written() -> None:
    term = strict(act(emission("a", "m")), seq(act(reception("b", "m")), act(reception("c", "m"))))
    to_b, to_c = (Label(SEND, Message("a", "m", one)) for one in "bc")
    automaton = sequences_automaton([MessageSequence((to_b, to_c))])
    assert possibility(automaton, InteractionProtocol(term, automaton.labels)).run == (to_b, to_c)


def test_an_end_that_is_not_drawn_is_another_such_end_or_outside() -> None:
    def answer(term: Interaction, label: Label) -> str:
        automaton = sequences_automaton([MessageSequence((label,))])
        return possibility(automaton, InteractionProtocol(term, automaton.labels)).answer

    taken = act(reception("b", "m"))
    elsewhere = act(emission("c", "other"))
    assert answer(taken, Label(HANDLE, Message("env", "m", "b"))) == "possible"
    assert answer(taken, Label(HANDLE, Message("stranger", "m", "b"))) == "possible"
    assert answer(taken, Label(SEND, Message("stranger", "m", "b"))) == "impossible"
    known = Label(HANDLE, Message("c", "m", "b"))
    assert answer(par(taken, elsewhere), known) == "impossible"
    paired = par(taken, act(emission("c", "m")))
    assert answer(paired, known) == "possible"
    assert answer(paired, Label(HANDLE, Message("env", "m", "b"))) == "impossible"


@pytest.mark.parametrize("loop", [loop_s, loop_h, loop_w, loop_p])
def test_a_lifeline_is_looked_at_where_one_reading_of_its_action_is_watched(
    loop: Callable[[Interaction], Interaction],
) -> None:
    """Of an action whose other end is not drawn there are several, and one may be what counts."""
    taken = [act(reception(receiver, "m")) for receiver in "bc"]
    term = loop(seq(act(emission("a", "m")), seq(*taken)))
    sent = Label(SEND, Message("a", "m", "b"))
    other = Label(SEND, Message("a", "m", "c"))
    automaton = sequences_automaton([MessageSequence((sent, sent))])
    assert other not in automaton.labels
    found = possibility(automaton, InteractionProtocol(term, automaton.labels))
    assert (found.answer, [each for each in found.run if each == sent]) == ("possible", [sent] * 2)


def test_sequences_are_answered_one_by_one() -> None:
    first, second = LABELS[0], LABELS[2]
    automaton = sequences_automaton([MessageSequence((first,)), MessageSequence((second,))])
    protocol = InteractionProtocol(act(LETTERS[2]), automaton.labels)
    answers = [possibility(each, protocol).answer for each in each_sequence(automaton)]
    assert answers == ["impossible", "possible"]
