"""The smallest deterministic automaton: Hopcroft's refinement of a partition.

States without a path to a final one are left out first, so an automaton here may have one state
fewer than elsewhere, where every letter must lead somewhere from every state.
"""

from __future__ import annotations

from choreomon.automata.automaton import Automaton, Edge, members, state_set
from choreomon.automata.determinization import deterministic
from choreomon.automata.emptiness import trimmed


def minimal(automaton: Automaton, limit: int | None = None) -> Automaton:
    """The deterministic automaton of the same language with the fewest states, numbered breadth
    first by letters: two automata with the same letters and lifelines have the same language
    exactly if this gives equal values. It has no states if nothing is accepted.

    Raises BudgetExceeded if determinization exceeds `limit` states, before they are merged.
    """
    whole = trimmed(automaton)
    if not whole.is_deterministic:
        whole = trimmed(deterministic(whole, limit))
    block_of = _blocks(whole)
    numbers: dict[int, int] = {}
    chosen: list[int] = []  # the first state seen of each block

    def number(state: int) -> int:
        known = numbers.get(block_of[state])
        if known is None:
            known = numbers[block_of[state]] = len(chosen)
            chosen.append(state)
        return known

    for state in members(whole.initial):
        number(state)
    edges: list[Edge] = []
    for source, state in enumerate(chosen):  # which grows meanwhile
        for place in whole.outgoing[state]:
            _, letter, target = whole.edges[place]
            edges.append(Edge(source, letter, number(target)))
    return Automaton(
        letters=whole.letters,
        states=len(chosen),
        edges=tuple(edges),
        initial=1 if chosen else 0,
        final=state_set(place for place, state in enumerate(chosen) if whole.final >> state & 1),
        lifelines=whole.lifelines,
    )


def _blocks(automaton: Automaton) -> list[int]:
    """The number of the block of each state: two states are in one block exactly if the same words
    are accepted from them. The automaton is deterministic, and all of its states are useful.

    When a block that was already used as a splitter is split, one of its parts is enough as a
    splitter, and the smaller one is less work. This holds even without a sink state, as all blocks
    are splitters in the beginning.
    """
    final = set(members(automaton.final))
    blocks = [block for block in (final, set(range(automaton.states)) - final) if block]
    block_of = [0] * automaton.states
    for number, block in enumerate(blocks):
        for state in block:
            block_of[state] = number
    pending = set(range(len(blocks)))
    while pending:
        comes: dict[int, list[int]] = {}
        for state in blocks[pending.pop()]:
            for place in automaton.incoming[state]:
                source, letter, _ = automaton.edges[place]
                comes.setdefault(letter, []).append(source)
        for sources in comes.values():
            touched: dict[int, set[int]] = {}
            for source in sources:
                touched.setdefault(block_of[source], set()).add(source)
            for number, inside in touched.items():
                block = blocks[number]
                if len(inside) == len(block):
                    continue
                smaller = inside if 2 * len(inside) <= len(block) else block - inside
                block -= smaller  # in place: the other part keeps the number
                for state in smaller:
                    block_of[state] = len(blocks)
                pending.add(len(blocks))
                blocks.append(smaller)
    return block_of
