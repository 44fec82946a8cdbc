"""Interactions as terms that exist once.

The slices paper, Definition 3: the empty interaction, actions, `strict`, `alt`, `coreg(r)`, `loopS`
and `loopC(r)`; `seq` is `coreg` over no lifeline, `par` over all, and so are `loopW` and
`loopP`. `loopH` is the loop of the small-step paper, Definition 9 (see
`choreomon.interaction.step`).

Terms are hash-consed: building what already exists gives the same object, so `is` is equality,
and what is computed of a term is computed once and kept with it. Terms that nobody holds any
more are forgotten. All that is at hand is of one session (`choreomon.interaction.session`).

Everything a step of the semantics needs of a term is a field, filled in from the operands when
the term is built. So nothing here recurses, and a term may be nested as deep as memory allows.
"""

from __future__ import annotations

from enum import Enum
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, NoReturn
from weakref import WeakValueDictionary

from choreomon.core.action import Action
from choreomon.interaction.lifelines import ALL, NONE, Mask, bit, names

if TYPE_CHECKING:
    from choreomon.interaction.step import Step


class Operator(Enum):
    """The operator at the root of a term."""

    EMPTY = "o"
    ACTION = "action"
    STRICT = "strict"
    COREG = "coreg"
    ALT = "alt"
    LOOP_S = "loopS"
    LOOP_C = "loopC"
    LOOP_H = "loopH"
    OPEN = "open"
    """No operator of the language: marks a loop's iteration, opened by unobserved actions only,
    that must still contribute an observed one (docs/adr/016). Only searches with marks make it."""

    # Members are singletons: the identity hash is right, and much faster than Enum's own.
    __hash__ = object.__hash__


LOOPS: Final = frozenset({Operator.LOOP_S, Operator.LOOP_C, Operator.LOOP_H})
BINARY: Final = frozenset({Operator.STRICT, Operator.COREG, Operator.ALT})


class Interaction:
    """A term. Build it with the functions of this module; `Interaction(...)` is not for callers.

    `left` and `right` are the operands (`right` is None under loops, both are under leaves).

    - `region`: of `coreg` and `loopC`, the lifelines on which their operands are not ordered.
    - `lifelines`: those that occur in the term.
    - `unavoidable`: those on which every accepted trace has an action (the removal paper,
      Definition 14).
    - `terminates`: whether the empty trace is accepted (the removal paper, Definition 13).
    - `unserved`: open iterations that contain no other one (0 for terms of the language).
    - `order`: a 64-bit digest of the structure, the same in every process. Different terms have
      the same one with a chance of 2**-64; nothing may be wrong then, only less tidy.
    - `size`: symbols; `depth`: of the tree, 1 for leaves.
    """

    __slots__ = (
        "__weakref__",
        "_after",
        "_is_normal",
        "_key",
        "_level",
        "_normal",
        "_pruned",
        "_removed",
        "_shared",
        "_simulated",
        "_steps",
        "action",
        "depth",
        "left",
        "lifelines",
        "operator",
        "order",
        "region",
        "right",
        "size",
        "terminates",
        "unavoidable",
        "unserved",
    )

    operator: Operator
    action: Action | None
    region: Mask
    left: Interaction | None
    right: Interaction | None
    lifelines: Mask
    unavoidable: Mask
    terminates: bool
    unserved: int
    order: int
    size: int
    depth: int
    _steps: tuple[Step, ...] | None
    _after: dict[Interaction, tuple[Interaction, ...]] | None
    _simulated: tuple[tuple[Action, Interaction], ...] | None
    _pruned: dict[Mask, Interaction | None] | None
    _removed: dict[Mask, Interaction] | None
    _normal: Interaction | None
    """Written by `choreomon.interaction.normal` and `chain`, as are the next four."""
    _is_normal: bool
    _level: int
    _shared: Mask
    _key: tuple[int, str, int] | None

    def __repr__(self) -> str:
        return f"<{text(self)}>"

    def __str__(self) -> str:
        return text(self)

    def __copy__(self) -> Interaction:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Interaction:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("interactions live in one process; send their text to another")


_LOW: Final = (1 << 64) - 1


class Terms:
    """The terms that there are in one session, by what they are made of."""

    __slots__ = ("actions", "roots", "terms")

    def __init__(self) -> None:
        self.terms: WeakValueDictionary[tuple[Operator, int, int, int], Interaction]
        self.terms = WeakValueDictionary()
        self.actions: WeakValueDictionary[Action, Interaction] = WeakValueDictionary()
        self.roots: dict[tuple[Operator, Mask], int] = {}
        """The part of digests that operators and their regions add."""

    def swap(self, other: Terms) -> None:
        """Exchange contents with another one."""
        self.terms, other.terms = other.terms, self.terms
        self.actions, other.actions = other.actions, self.actions
        self.roots, other.roots = other.roots, self.roots

    def __contains__(self, term: Interaction) -> bool:
        """Return whether a term was made here; `EMPTY` is everywhere."""
        if term.action is not None:
            return self.actions.get(term.action) is term
        if term.left is None:
            return True
        return self.terms.get((term.operator, term.region, id(term.left), id(term.right))) is term


TERMS: Final = Terms()
"""The terms of the session at hand."""


def _digest(*parts: str) -> int:
    whole = "\0".join(parts).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(whole, digest_size=8).digest(), "big")


def _mixed(operator: Operator, region: Mask, left: int, right: int) -> int:
    """The digest of a term from those of its operands: as good as `_digest` where nobody chooses
    the operands in order to make two digests equal, and much faster."""
    root = TERMS.roots.get((operator, region))
    if root is None:
        scope = "*" if region == ALL else " ".join(names(region))
        root = TERMS.roots[operator, region] = _digest(operator.value, scope)
    mixed = (left * 0x9E3779B97F4A7C15 + right + root) & _LOW
    mixed = (mixed ^ mixed >> 32) * 0xD6E8FEB86659FD93 & _LOW
    return mixed ^ mixed >> 29


def _leaf(operator: Operator, action: Action | None, lifelines: Mask) -> Interaction:
    term = object.__new__(Interaction)
    term.operator = operator
    term.action = action
    term.region = NONE
    term.left = term.right = None
    term.lifelines = term.unavoidable = lifelines
    term.terminates = action is None
    term.unserved = 0
    term.order = _digest(operator.value, *(action or ()))
    term.size = term.depth = 1
    term._steps = term._simulated = None
    term._after = None
    term._pruned = term._removed = term._normal = term._key = None
    term._is_normal = False
    term._level = 0
    term._shared = NONE
    return term


EMPTY: Final = _leaf(Operator.EMPTY, None, NONE)
"""The empty interaction: nothing happens. The same one in all sessions."""


def act(action: Action) -> Interaction:
    """The interaction of one action."""
    term = TERMS.actions.get(action)
    if term is None:
        term = TERMS.actions[action] = _leaf(Operator.ACTION, action, bit(action.lifeline))
    return term


def observed(action: Action) -> Interaction:
    """`act` for the action of a log. Where no interaction has it, a term that is not kept and has
    no lifeline: there is no end of names in logs."""
    term = TERMS.actions.get(action)
    return _leaf(Operator.ACTION, action, NONE) if term is None else term


def make(
    operator: Operator, region: Mask, left: Interaction, right: Interaction | None
) -> Interaction:
    """The term with this root over these operands, exactly as said: nothing is simplified.

    `region` is NONE for every operator but COREG and LOOP_C; `right` is None for loops and OPEN.
    """
    key = (operator, region, id(left), id(right))
    terms = TERMS.terms
    term = terms.get(key)
    if term is not None:
        return term
    term = object.__new__(Interaction)
    term.operator = operator
    term.action = None
    term.region = region
    term.left = left
    term.right = right
    if right is None:
        term.lifelines = left.lifelines
        term.size = left.size + 1
        term.depth = left.depth + 1
        term.order = _mixed(operator, region, left.order, 0)
        if operator is Operator.OPEN:
            term.unavoidable = left.unavoidable
            term.terminates = False
            term.unserved = left.unserved or 1
        else:
            term.unavoidable = NONE
            term.terminates = True
            term.unserved = left.unserved
    else:
        term.lifelines = left.lifelines | right.lifelines
        term.size = left.size + right.size + 1
        term.depth = (left.depth if left.depth > right.depth else right.depth) + 1
        term.order = _mixed(operator, region, left.order, right.order)
        term.unserved = left.unserved + right.unserved
        if operator is Operator.ALT:
            term.unavoidable = left.unavoidable & right.unavoidable
            term.terminates = left.terminates or right.terminates
        else:
            term.unavoidable = left.unavoidable | right.unavoidable
            term.terminates = left.terminates and right.terminates
    term._steps = term._simulated = None
    term._after = None
    term._pruned = term._removed = term._normal = term._key = None
    term._is_normal = False
    term._level = 0
    term._shared = NONE
    terms[key] = term
    return term


def forget_steps() -> None:
    """Drops what is known of the steps of all terms. A term holds what it may become, and so does
    that: whoever holds an interaction holds all that was ever reached from it, until this is
    called. Nothing but time is lost; not to be called while steps are worked out."""
    for term in list(TERMS.terms.values()):
        term._steps = term._simulated = None
        term._after = None


def _fold(operator: Operator, region: Mask, operands: tuple[Interaction, ...]) -> Interaction:
    if not operands:
        raise ValueError(f"{operator.value} needs an operand")
    whole = operands[-1]
    for operand in reversed(operands[:-1]):
        whole = make(operator, region, operand, whole)
    return whole


def strict(*operands: Interaction) -> Interaction:
    """Strict sequencing: one operand is over, everywhere, before the next begins.

    Several operands fold to the right, as with every operator here; one stands for itself.
    """
    return _fold(Operator.STRICT, NONE, operands)


def coreg(region: Mask, *operands: Interaction) -> Interaction:
    """Weak sequencing, but any order on the lifelines of `region`."""
    return _fold(Operator.COREG, region, operands)


def seq(*operands: Interaction) -> Interaction:
    """Weak sequencing: ordered on every lifeline for itself."""
    return _fold(Operator.COREG, NONE, operands)


def par(*operands: Interaction) -> Interaction:
    """Interleaving: no order between the operands."""
    return _fold(Operator.COREG, ALL, operands)


def alt(*operands: Interaction) -> Interaction:
    """Exclusive choice."""
    return _fold(Operator.ALT, NONE, operands)


def loop_s(body: Interaction) -> Interaction:
    """Strict repetition, zero times or more."""
    return make(Operator.LOOP_S, NONE, body, None)


def loop_c(region: Mask, body: Interaction) -> Interaction:
    """Repetition by `coreg(region)`, zero times or more."""
    return make(Operator.LOOP_C, region, body, None)


def loop_w(body: Interaction) -> Interaction:
    """Weak repetition: the Kleene closure of weak sequencing."""
    return make(Operator.LOOP_C, NONE, body, None)


def loop_p(body: Interaction) -> Interaction:
    """Parallel repetition."""
    return make(Operator.LOOP_C, ALL, body, None)


def loop_h(body: Interaction) -> Interaction:
    """HIBOU's `loopH`: weak repetition whose first action belongs to the first iteration."""
    return make(Operator.LOOP_H, NONE, body, None)


def combined(
    operator: Operator, region: Mask, left: Interaction, right: Interaction | None
) -> Interaction:
    """Make a term without what the empty interaction makes redundant: it is the unit of `strict`
    and `coreg`, repeating it is it, and a choice between a term and itself is none."""
    if right is None:
        return EMPTY if left is EMPTY else make(operator, region, left, None)
    if operator is Operator.ALT:
        return left if left is right else make(operator, region, left, right)
    if left is EMPTY:
        return right
    if right is EMPTY:
        return left
    return make(operator, region, left, right)


def operator_name(term: Interaction) -> str:
    """The operator at the root as the field writes it: `seq`, `par`, `loopW` and `loopP` for
    their regions, `coreg(l1,l2)` and `loopC(l1)` elsewhere."""
    if term.operator is Operator.COREG:
        names_of = {NONE: "seq", ALL: "par"}
    elif term.operator is Operator.LOOP_C:
        names_of = {NONE: "loopW", ALL: "loopP"}
    else:
        return str(term.operator.value)
    return names_of.get(term.region) or f"{term.operator.value}({','.join(names(term.region))})"


def text(term: Interaction) -> str:
    """The term in one line, as in `seq(strict(l1!m,l2?m),loopW(l1!a))`; `o` is the empty one."""
    parts: list[str] = []
    pending: list[Interaction | str] = [term]
    while pending:
        top = pending.pop()
        if isinstance(top, str):
            parts.append(top)
        elif top.left is None:
            parts.append("o" if top.action is None else str(top.action))
        else:
            parts.append(f"{operator_name(top)}(")
            pending.append(")")
            if top.right is not None:
                pending.extend((top.right, ","))
            pending.append(top.left)
    return "".join(parts)


def subterms(term: Interaction) -> list[Interaction]:
    """Return every distinct term within, operands before what they are operands of; `term` is
    last."""
    seen: set[Interaction] = set()
    ordered: list[Interaction] = []
    pending: list[tuple[Interaction, bool]] = [(term, False)]
    while pending:
        top, done = pending.pop()
        if done:
            ordered.append(top)
        elif top not in seen:
            seen.add(top)
            pending.append((top, True))
            if top.right is not None:
                pending.append((top.right, False))
            if top.left is not None:
                pending.append((top.left, False))
    return ordered
