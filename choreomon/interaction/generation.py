"""Random interactions, as the removal paper, section 6.1 draws them.

A symbol is drawn at random; where it is an operator, its operands are drawn in the same way. What
is too shallow or too small once its redundant empty interactions are simplified away is drawn
again. The paper does not say how likely the symbols are; here a constant is as likely as an
operator, all operators that are given are equally likely, and so are all actions.

The same state of `rng` gives the same interaction, in every process.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from choreomon.core.action import EMISSION, RECEPTION, Action, ActionKind
from choreomon.interaction.lifelines import ALL, NONE, Mask, mask
from choreomon.interaction.term import EMPTY, Interaction, Operator, act, combined

if TYPE_CHECKING:
    from random import Random

PAPER_OPERATORS: Final = ("strict", "seq", "par", "alt", "loopS", "loopW", "loopP")
"""The operators of the removal paper, Definition 3."""

ALL_OPERATORS: Final = (*PAPER_OPERATORS, "coreg", "loopC", "loopH")
"""Every operator of the language. `coreg` and `loopC` get a random region."""

_SHAPES: Final[dict[str, tuple[Operator, Mask | None, int]]] = {
    "strict": (Operator.STRICT, NONE, 2),
    "seq": (Operator.COREG, NONE, 2),
    "par": (Operator.COREG, ALL, 2),
    "coreg": (Operator.COREG, None, 2),
    "alt": (Operator.ALT, NONE, 2),
    "loopS": (Operator.LOOP_S, NONE, 1),
    "loopW": (Operator.LOOP_C, NONE, 1),
    "loopP": (Operator.LOOP_C, ALL, 1),
    "loopC": (Operator.LOOP_C, None, 1),
    "loopH": (Operator.LOOP_H, NONE, 1),
}
"""Operator, region (None: drawn), number of operands."""


def random_interaction(
    rng: Random,
    *,
    lifelines: Sequence[str],
    messages: Sequence[str],
    operators: Sequence[str] = PAPER_OPERATORS,
    min_depth: int = 6,
    min_size: int = 20,
    max_size: int = 200,
    empty: float = 0.1,
    attempts: int = 100_000,
) -> Interaction:
    """A random interaction whose depth is at least `min_depth` (an action has depth 1) and
    which has `min_size` to `max_size` symbols.

    `empty` is the chance of a constant to be the empty interaction. Raises ValueError for an
    operator that there is not, and where none of `attempts` draws is as required.
    """
    unknown = [name for name in operators if name not in _SHAPES]
    if unknown:
        raise ValueError(f"no operator is called {unknown[0]!r}; there are {', '.join(_SHAPES)}")
    for _ in range(attempts):
        term = _drawn(rng, lifelines, messages, operators, max_size, empty)
        if term is not None and term.depth >= min_depth and min_size <= term.size <= max_size:
            return term
    raise ValueError(
        f"none of {attempts} draws has a depth of {min_depth} or more and {min_size} to {max_size}"
        " symbols: ask for less depth, or for more symbols at most"
    )


def _drawn(
    rng: Random,
    lifelines: Sequence[str],
    messages: Sequence[str],
    operators: Sequence[str],
    max_size: int,
    empty: float,
) -> Interaction | None:
    """Draw once, and simplify; None once it has more than twice as many symbols as allowed."""
    # Symbols are drawn in prefix order and put together from the back, as reverse Polish notation.
    symbols: list[Interaction | tuple[Operator, Mask, int]] = []
    open_operands = 1
    while open_operands:
        open_operands -= 1
        if operators and rng.random() < 0.5:
            operator, region, arity = _SHAPES[rng.choice(operators)]
            if region is None:
                region = mask(name for name in lifelines if rng.random() < 0.5)
            symbols.append((operator, region, arity))
            open_operands += arity
        elif rng.random() < empty:
            symbols.append(EMPTY)
        else:
            kind: ActionKind = EMISSION if rng.random() < 0.5 else RECEPTION
            symbols.append(act(Action(rng.choice(lifelines), kind, rng.choice(messages))))
        if len(symbols) + open_operands > 2 * max_size:
            return None
    built: list[Interaction] = []
    for symbol in reversed(symbols):
        if isinstance(symbol, Interaction):
            built.append(symbol)
        else:
            operator, region, arity = symbol
            left = built.pop()
            built.append(combined(operator, region, left, built.pop() if arity == 2 else None))
    return built.pop()
