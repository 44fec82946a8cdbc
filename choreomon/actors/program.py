"""A handler as a program, and `perform`: the one interpreter of the actor language.

What a handler does depends on the variables of its process alone, and no statement asks what
became of a send. So a handler is performed in one step: its variables get the values that they
have at its end, and all that it sends is told, in order. What sending means is left to whoever
drives the process: an event in virtual time for the simulator, a message over a socket for a
process of the operating system.

A program is the handler's control-flow graph: basic blocks in one flat tuple, which name each
other by their numbers. However deep conditionals nest, nothing here recurs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, NamedTuple, TypeAlias, TypeVar

from choreomon.actors.application import Assign, Constant, Given, If, OfHandled, Statement, Tell
from choreomon.core.binding import Binding

S = TypeVar("S")
T = TypeVar("T")

END: Final = -1
"""The next block of a program that is over."""


class Block(NamedTuple, Generic[S]):
    """Statements that are performed one and all, and where the program goes on.

    - `assigns`: slots of variables with their new values, no slot twice;
    - `sends`: whatever the driver knows a send as, in order;
    - `slot`: the variable that decides, `None`: none does;
    - `then`: the number of the next block, or `END`; where a variable decides, if it is true;
    - `otherwise`: the same, if it is false.
    """

    assigns: tuple[tuple[int, Constant], ...]
    sends: tuple[S, ...]
    slot: int | None = None
    then: int = END
    otherwise: int = END


Program: TypeAlias = tuple[Block[S], ...]
"""A program: at least one block; it begins at the first. Numbers only grow along the way, so every
program comes to an end."""


def perform(program: Program[S], variables: list[Constant]) -> tuple[S, ...]:
    """Perform a handler; return what it sends, in order. `variables`, the values of its process's
    variables by slot, are updated. The caller sends all of it before the process performs another
    handler.
    """
    sends: tuple[S, ...] = ()
    at = 0
    while at != END:
        assigns, more, slot, at, otherwise = program[at]
        # Most blocks have one of the two at most: looking first is cheaper than doing nothing.
        if assigns:
            for assigned, value in assigns:
                variables[assigned] = value
        if more:
            sends = sends + more if sends else more
        if slot is not None and not variables[slot]:
            at = otherwise
    return sends


def carried(given: Given, handled: Binding) -> Binding:
    """The values that a message carries if the handler of a message with `handled` sends it with
    `given`. Raises `KeyError` if `handled` lacks a value; the reader of documents refuses such
    documents.
    """
    own = dict(handled)
    return tuple(
        [
            (name, own[value.name] if isinstance(value, OfHandled) else value)
            for name, value in given
        ]
    )


def translated(program: Program[S], each: Callable[[S], T]) -> Program[T]:
    """The program with `each` of every send in its place: the driver's own idea of it, looked up
    once instead of at every message."""
    return tuple(
        Block(assigns, tuple(map(each, sends)), slot, then, otherwise)
        for assigns, sends, slot, then, otherwise in program
    )


# ---------------------------------------------------------------- from statements


@dataclass(slots=True, eq=False)
class _Draft(Generic[S]):
    """A block while it grows; `None` for the end."""

    assigns: dict[int, Constant] = field(default_factory=dict)
    sends: list[S] = field(default_factory=list)
    slot: int | None = None
    then: _Draft[S] | None = None
    otherwise: _Draft[S] | None = None

    @property
    def is_empty(self) -> bool:
        return not self.assigns and not self.sends and self.slot is None


class _Turn(NamedTuple, Generic[S]):
    """A turn between statements: those before it go on at `after`, those behind it belong to
    `draft`."""

    after: _Draft[S]
    draft: _Draft[S]


def program_of(
    statements: Sequence[Statement], slots: Mapping[str, int], sending: Callable[[Tell], S]
) -> Program[S]:
    """The program of a handler, with `sending` of each of its sends.

    Raises `KeyError` for a variable that is not in `slots`.
    """
    current: _Draft[S] = _Draft()
    drafts = [current]  # in the order of the text, so each leads to later ones
    pending: list[Statement | _Turn[S]] = [*reversed(statements)]
    while pending:
        match pending.pop():
            case Tell() as send:
                current.sends.append(sending(send))
            case Assign(variable, value):
                current.assigns[slots[variable]] = value
            case If(variable, then, otherwise, negated):
                first, second, after = _Draft[S](), _Draft[S](), _Draft[S]()
                current.slot = slots[variable]
                current.then, current.otherwise = (second, first) if negated else (first, second)
                pending.append(_Turn(after, after))
                pending += reversed(otherwise)
                pending.append(_Turn(after, second))
                pending += reversed(then)
                current = first
                drafts.append(current)
            case _Turn(after, draft):
                current.then = after
                current = draft
                drafts.append(current)
    return _numbered(drafts)


def _numbered(drafts: Sequence[_Draft[S]]) -> Program[S]:
    """The drafts as blocks, without the empty ones, which only lead somewhere else. The first
    one stays: a program begins somewhere."""
    kept = [draft for draft in drafts if draft is drafts[0] or not draft.is_empty]
    number: dict[_Draft[S] | None, int] = {None: END}
    number.update((draft, place) for place, draft in enumerate(kept))
    for draft in reversed(drafts):
        number.setdefault(draft, number[draft.then])
    return tuple(
        Block(
            tuple(draft.assigns.items()),
            tuple(draft.sends),
            draft.slot,
            number[draft.then],
            number[draft.otherwise],
        )
        for draft in kept
    )
