"""The same automata in automata-lib, which is the oracle of the operations here."""

from __future__ import annotations

from automata.fa.dfa import DFA
from automata.fa.nfa import NFA

from choreomon.automata.automaton import Automaton, members
from tests.automata.drawn import LETTERS

SIGN = {letter: chr(ord("a") + number) for number, letter in enumerate(LETTERS)}
"""automata-lib's letters are characters."""


def as_nfa(automaton: Automaton) -> NFA:
    """With one more state in front, since automata-lib has one initial state only."""
    transitions: dict[int, dict[str, set[int]]] = {}
    for source, letter, target in automaton.edges:
        sign = SIGN[automaton.letters[letter]]
        transitions.setdefault(source, {}).setdefault(sign, set()).add(target)
    transitions[-1] = {"": set(members(automaton.initial))}
    return NFA(
        states={-1, *range(automaton.states)},
        input_symbols={SIGN[letter] for letter in automaton.letters},
        transitions=transitions,
        initial_state=-1,
        final_states=set(members(automaton.final)),
    )


def minimized(automaton: Automaton) -> DFA:
    """The smallest deterministic automaton without a state from which nothing is accepted (but
    one state where nothing is accepted at all)."""
    return DFA.from_nfa(as_nfa(automaton)).to_partial()
