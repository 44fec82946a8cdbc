"""Shared knowledge of two agents about each other's clocks, so that one clock can be told relative
to another.

**The rule.** A clock is told relative to the newest clock that its receiver has *offered*. Whoever
offers a clock with a frame says: as long as I live I shall know what is relative to this one. So
what is told to a peer is what it has not told itself, and no acknowledgement is needed: to use an
offer says that it came.

**A base is named by what it is,** by a digest of its entries, not by a number. So there is nothing
that two lives of an agent, or two connections, could number alike. Who does not know the base of a
frame refuses the frame; who knows it has the same clock (64 bits of BLAKE2b aside).

**When something is offered.** One offer is under way at a time: the next one is made when the peer
has used the last one, so that on channels in order whatever a peer may use is kept. `KEPT` are kept
for frames that are overtaken. An offer that was not used by any of the next `PATIENCE` frames of
the peer is lost, and followed by another one.

**What is lost.** An inquiry is repeated until it is answered, and whoever repeats one takes it that
its peer has forgotten everything (`anew`): he tells his clock without a base, and offers it.
Whoever is told and offered a clock without a base takes it that his own last offer was lost, and
offers anew. So what was lost costs some frames in the long form, and a refused one as much time as
a lost one. That is all: nothing here has to survive a restart, and nothing has to arrive in order,
once, or at all.

Clocks of at most `PLAIN` entries are neither offered nor told relative to others.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Final, NamedTuple

from choreomon.agent_files.clocks.coding import (
    PLAIN,
    CodedClock,
    clock_of,
    coded,
    least_size_of,
    relative,
    size_of,
)
from choreomon.agent_files.clocks.packed import PackedClock, in_message_pack, packed, unpacked
from choreomon.core.errors import MalformedMessage
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import NEVER

KEPT: Final = 3
"""Offers that are kept: the one in use, the one under way, and one for frames that are late."""

PATIENCE: Final = 256
"""Frames of a peer that may have been under way when an offer was made: more than inquiries and
answers that a live agent sends before it hears something."""

WORTH: Final = 32
"""Bytes of a clock without a base above which it is offered."""

NAME_BYTES: Final = 8
NAMED: Final = 9
"""Most bytes that the name of a base takes in a frame."""


class UnknownBase(MalformedMessage):
    """A frame is relative to a clock that is not known here, or not any more."""


class Offer(NamedTuple):
    """A clock that both ends know, and its name."""

    name: int
    clock: PackedClock


class Link(NamedTuple):
    """The knowledge of one end. `offered`: own offers that are kept, oldest first. `awaited`: while
    nothing shows that the last of them came, the number of the peer's frames still to wait for;
    else 0. `theirs`: the newest offer of the peer."""

    offered: tuple[Offer, ...] = ()
    awaited: int = 0
    theirs: Offer | None = None


class Told(NamedTuple):
    """A clock as it is told: the name of its base, if it has one, and whether it is an offer."""

    code: CodedClock
    base: int | None = None
    offers: bool = False


UNLINKED: Final = Link()


def name_of(clock: PackedClock) -> int:
    """The name of a clock, at most 64 bits."""
    return int.from_bytes(blake2b(in_message_pack(clock), digest_size=NAME_BYTES).digest(), "big")


def tell(link: Link, clock: PackedClock) -> tuple[Link, Told]:
    """A clock in a frame to the peer."""
    if clock.entries <= PLAIN:
        return link, Told(coded(clock))
    told, worth = _shortest(clock, link.theirs)
    if not worth or link.awaited:
        return link, told
    offer = Offer(name_of(clock), clock)
    kept = [each for each in link.offered if each.name != offer.name]
    return Link((*kept, offer)[-KEPT:], PATIENCE, link.theirs), told._replace(offers=True)


def _shortest(clock: PackedClock, theirs: Offer | None) -> tuple[Told, bool]:
    """A clock as it is told, and whether one without a base is long enough to be offered."""
    linked, size = None, 0
    if theirs is not None and (short := relative(clock, theirs.clock)) is not None:
        linked, size = Told(short, theirs.name), size_of(short) + NAMED
        if max(size, WORTH) < least_size_of(clock):
            return linked, True
    code = coded(clock)
    alone = size_of(code)
    return linked if linked and size < alone else Told(code), alone > WORTH


def hear(link: Link, told: Told, entries: int) -> tuple[Link, PackedClock]:
    """A clock in a frame of the peer, of this many entries. Raises `UnknownBase`, and
    `MalformedMessage` for what is no clock; then the link is as it was."""
    base: VectorClock | None = None
    if told.base is not None:
        used = [offer.clock for offer in link.offered if offer.name == told.base]
        if not used:
            raise UnknownBase(f"it is relative to the clock {told.base:x}, which is not known here")
        base = unpacked(used[-1])
    heard = clock_of(told.code, entries, base)
    if len(heard) != entries:
        raise MalformedMessage(f"{len(heard)} entries are no clock of {entries} processes")
    clock = _packed_counts(heard)
    return after(link, told, clock), clock


def after(link: Link, told: Told, clock: PackedClock) -> Link:
    """The link after this clock was heard, coded as `told`; its base is known."""
    awaited = max(0, link.awaited - 1)
    if told.base is None:
        awaited = 0 if told.offers else awaited
    elif told.base == link.offered[-1].name:
        awaited = 0
    theirs = Offer(name_of(clock), clock) if told.offers else link.theirs
    return Link(link.offered, awaited, theirs)


def _packed_counts(clock: VectorClock) -> PackedClock:
    """Raises `MalformedMessage` where its entries are no counts."""
    try:
        found = packed(clock)
        are_counts = found.width < 8 or (min(clock) >= 0 and max(clock) < NEVER)
    except OverflowError:
        are_counts = False
    if not are_counts:
        raise MalformedMessage(f"a clock of {len(clock)} entries that are no counts")
    return found


def anew(link: Link) -> Link:
    """The link after the peer's knowledge came into doubt. It may have got what was offered, so
    that is kept."""
    return Link(link.offered)
