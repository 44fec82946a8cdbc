"""Sessions: what interactions of one time share ends with it.

Equal terms are one object, and every lifeline that an interaction has heard of has one bit of all
masks. Terms go when nobody holds them; bits do not, since masks are numbers that anybody may hold.
A program that reads interactions with ever new names for days would have longer and longer masks,
and every step would take longer with them. So it opens a session:

    with Session():
        interaction = read_interaction(text)
        answer = Verifier(interaction, "slice").decide(multitrace)

Without one there is the session of the process, which has no end.
"""

from __future__ import annotations

from types import TracebackType

from choreomon.interaction.lifelines import NUMBERING, Numbering
from choreomon.interaction.term import TERMS, Interaction, Terms


class Session:
    """A session: while it is entered, interactions are made in it; it may be left and entered
    again. Terms and masks of one session are of no use in another one. Making a verifier of an
    interaction of another session is refused (`require_current`); that a verifier is used in its
    own session only is not checked at every question.

    It is one for all threads of the process, and sessions that are entered one within the other are
    left in the reverse order. Raises RuntimeError where it is entered twice.
    """

    def __init__(self) -> None:
        self._terms = Terms()
        self._numbering = Numbering()
        self._is_entered = False

    def __enter__(self) -> Session:
        if self._is_entered:
            raise RuntimeError("this session is entered already")
        self._is_entered = True
        self._swap()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._swap()
        self._is_entered = False

    def _swap(self) -> None:
        TERMS.swap(self._terms)
        NUMBERING.swap(self._numbering)


def require_current(interaction: Interaction) -> None:
    """Raises ValueError for an interaction of another session than the one at hand."""
    if interaction not in TERMS:
        raise ValueError("this interaction was made in another session: read it again in this one")
