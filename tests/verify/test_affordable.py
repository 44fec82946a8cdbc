"""What a few actions can pay for, by the definition: all traces."""

from __future__ import annotations

from itertools import combinations

import pytest

from choreomon.core.action import Action, parse_action
from choreomon.interaction.denotation import Traces, traces
from choreomon.interaction.measures import loop_depth
from choreomon.interaction.term import EMPTY, Interaction, alt, loop_s, loop_w, seq, strict
from choreomon.verify import affordable as module
from choreomon.verify.affordable import affordable
from tests.verify.papers.questions import OPERATORS, a
from tests.verify.test_overestimates import LONGEST, interactions


def among(found: Traces, actions: frozenset[Action], most: int) -> set[tuple[Action, ...]]:
    return {trace for trace in found if len(trace) <= most and actions.issuperset(trace)}


def alphabet_of(found: Traces) -> list[Action]:
    return sorted({action for trace in found for action in trace})


def wrong(number: int) -> int:
    """Of how many terms a trace that could be paid for is lost, or another one is won."""
    found = 0
    for term in interactions(3, number, OPERATORS):
        accepted = traces(term, LONGEST)
        alphabet = alphabet_of(accepted)
        for size in (1, 2, len(alphabet)):
            for some in list(combinations(alphabet, size))[:4]:
                for most in range(LONGEST + 1):
                    rest = affordable(term, frozenset(some), most)
                    left: Traces = set() if rest is None else traces(rest, LONGEST)
                    wanted = among(accepted, frozenset(some), most)
                    found += not (wanted <= left <= accepted and (rest is None) == (not wanted))
    return found


def test_what_can_be_paid_for_is_kept_and_nothing_new_is_accepted() -> None:
    assert not wrong(150)


def test_what_others_take_is_not_left_for_a_loop() -> None:
    one, two, three = a("l1!a"), a("l1!b"), a("l2!c")
    actions = frozenset(map(parse_action, ("l1!a", "l1!b", "l2!c")))
    term = strict(loop_s(strict(loop_s(strict(one, two)), one)), alt(three, seq(three, three)))
    assert affordable(term, actions, 4) is term
    assert affordable(term, actions, 3) is strict(loop_s(one), alt(three, seq(three, three)))
    assert affordable(term, actions, 1) is three
    assert affordable(term, actions, 0) is None
    assert affordable(term, actions - {parse_action("l1!b")}, 4) is affordable(term, actions, 3)
    assert affordable(loop_w(one), frozenset(), 4) is EMPTY


def test_of_loops_in_loops_as_many_are_left_as_there_are_actions() -> None:
    leaf = a("l1!a")
    term: Interaction = leaf
    for _ in range(5_000):
        term = loop_w(strict(term, leaf))
    rest = affordable(term, frozenset({parse_action("l1!a")}), 6)
    assert rest is not None
    assert loop_depth(rest) == 6
    assert rest.size < 30


# -- planted bugs ----------------------------------------------------------------------------


@pytest.mark.parametrize("bug", ["choices", "operands", "loops"])
def test_the_law_notices_planted_bugs(monkeypatch: pytest.MonkeyPatch, bug: str) -> None:
    least, parts = module._least, module._parts
    if bug == "choices":  # the dearer choice counts
        monkeypatch.setattr(module, "min", max, raising=False)
    elif bug == "operands":  # every operand may cost one action less than it may
        monkeypatch.setattr(
            module,
            "_parts",
            lambda priced, known: [
                (term, max(most - 1, known[term])) for term, most in parts(priced, known)
            ],
        )
    else:  # of loops, one iteration has to be paid for
        monkeypatch.setattr(
            module,
            "_least",
            lambda term, actions: {
                one: 1 if one.left is not None and one.right is None else price
                for one, price in least(term, actions).items()
            },
        )
    assert wrong(60)
