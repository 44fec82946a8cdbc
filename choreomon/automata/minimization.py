"""The smallest deterministic automaton: Hopcroft's refinement of a partition.

States that no path leads to an end are left out first, so an automaton here may have fewer states
by one than elsewhere, where every letter must lead somewhere from every state.
"""

from __future__ import annotations

from choreomon.automata.automaton import Automaton, Edge, members, state_set
from choreomon.automata.determinization import deterministic
from choreomon.automata.emptiness import trimmed


def minimal(automaton: Automaton, limit: int | None = None) -> Automaton:
    """The deterministic automaton of the same language with the fewest states, numbered breadth
    first by letters: two automata with the same letters and lifelines have the same language
    exactly where this gives equal values. It has no state where nothing is accepted.

    Raises BudgetExceeded where determinization passes `limit` states, before they are merged.
    """
    whole = trimmed(automaton)
    if not whole.is_deterministic:
        whole = trimmed(deterministic(whole, limit))
    block_of = _blocks(whole)
    numbers: dict[int, int] = {}
    chosen: list[int] = []  # of each block the state that was seen first

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
    """By state the number of its block: two states are in one block exactly where the same words
    are accepted from them. The automaton is deterministic, all of its states are useful.

    A block that is split counts as looked at if it was before: then what leads to one part and
    what leads to the other are told apart by looking at one of them, and the smaller one is less
    work. That holds without a state for all that leads nowhere, too, as all blocks are looked at
    in the beginning.
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
