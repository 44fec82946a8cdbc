"""Decides by definition, and slowly, whether logs are explained by an automaton.

The automata paper, section 2.4: the logs are explained if the automaton and the shuffle of the logs
have a word in common. Each log is an automaton here, a chain of its actions, with loops in front
and behind for what it may lack; the question is whether the product with all of them is empty.
"""

from __future__ import annotations

from collections.abc import Sequence

from choreomon.automata.automaton import Automaton, automaton
from choreomon.automata.emptiness import is_empty
from choreomon.automata.logs import WHOLE, Log, Missing
from choreomon.automata.product import product


def explains(
    protocol: Automaton, logs: Sequence[Log], missing: Missing = WHOLE, free: Sequence[str] = ()
) -> bool:
    """Tell whether the automaton explains the logs, where anything may happen on the lifelines
    `free`. Time and memory grow with the number of cuts."""
    told = {name for lifelines, _ in logs for name in lifelines}
    untold = [name for name in protocol.lifelines if name not in told and name not in free]
    product_of_all = protocol
    for log in (*logs, *(((name,), ()) for name in untold)):
        if any(action not in protocol.letters for action in log[1]):
            return False
        may_lack = missing if log[0][0] in told else WHOLE
        product_of_all = product(product_of_all, _chain(protocol, log, may_lack))
    return not is_empty(product_of_all)


def _chain(protocol: Automaton, log: Log, missing: Missing) -> Automaton:
    """The automaton of the words over the letters of its lifelines that may have left this log."""
    lifelines, actions = log
    letters = [letter for letter in protocol.letters if letter.lifeline in lifelines]
    edges = [(place, action, place + 1) for place, action in enumerate(actions)]
    if missing.before:
        edges += [(0, letter, 0) for letter in letters]
    if missing.after:
        edges += [(len(actions), letter, len(actions)) for letter in letters]
    return automaton(edges, initial=[0], final=[len(actions)], letters=letters, lifelines=lifelines)
