"""Clocks that are told relative to others, under all that happens to frames and agents.

Two agents whose clocks grow exchange inquiries and answers, each sent once more until it is
answered. Frames are lost, repeated, overtaken, and agents come back without any memory of their
links. Whatever is heard is exactly what was told; what cannot be is refused, and the asker always
gets his answer in the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import NamedTuple
from unittest.mock import patch

import pytest

from choreomon.agent_files.clocks import links as clock_links
from choreomon.agent_files.clocks.coding import PLAIN
from choreomon.agent_files.clocks.links import (
    KEPT,
    PATIENCE,
    UNLINKED,
    Link,
    Offer,
    Told,
    UnknownBase,
    anew,
    hear,
    name_of,
    tell,
)
from choreomon.agent_files.clocks.packed import PackedClock, packed, unpacked
from choreomon.core.errors import MalformedMessage
from choreomon.core.vector_clock import VectorClock, merge

ENTRIES = PLAIN + 16


class Faults(NamedTuple):
    """How often of a hundred times a frame is lost, comes twice, is overtaken; an agent forgets."""

    lost: int = 0
    twice: int = 0
    overtaken: int = 0
    forgets: int = 0


NONE = Faults()
ALL = Faults(20, 10, 30, 5)


class Frame(NamedTuple):
    told: Told
    clock: VectorClock
    number: int
    answers: bool


class Course:
    """One of two agents, 0 and 1, asks at a time, or several times before anything arrives."""

    def __init__(self, random: Random, faults: Faults) -> None:
        self.random = random
        self.faults = faults
        self.clocks = [self._drawn(), self._drawn()]
        self.links = [UNLINKED, UNLINKED]
        self.under_way: list[list[Frame]] = [[], []]  # by receiver
        self.open: list[dict[int, int]] = [{}, {}]  # by asker: number -> how often it was sent
        self.asked = 0
        self.little = False
        self.heard = self.refused = self.relative = self.repeated = 0

    def _drawn(self) -> VectorClock:
        return tuple(self.random.choice((0, 3, 500)) for _ in range(ENTRIES))

    def goes_on(self, who: int) -> None:
        """Things happen, and others tell of what happened to them."""
        clock = list(self.clocks[who])
        for _ in range(1 if self.little else self.random.choice((1, 4, ENTRIES))):
            clock[self.random.randrange(ENTRIES)] += self.random.choice((1, 1, 300))
        self.clocks[who] = tuple(clock)

    def send(self, who: int, number: int, *, answers: bool) -> None:
        clock = self.clocks[who]
        self.links[who], told = tell(self.links[who], packed(clock))
        self.relative += told.base is not None
        assert len(self.links[who].offered) <= KEPT
        frame = Frame(told, clock, number, answers)
        queue = self.under_way[1 - who]
        if not self._happens(self.faults.lost):
            queue += [frame] * (1 + self._happens(self.faults.twice))
            if self._happens(self.faults.overtaken):
                self.random.shuffle(queue)

    def ask(self, who: int) -> None:
        self.asked += 1
        self.open[who][self.asked] = 1
        self.send(who, self.asked, answers=False)

    def repeat(self, who: int) -> None:
        if self.open[who]:
            self.links[who] = clock_links.anew(self.links[who])
            for number in self.open[who]:
                self.open[who][number] += 1
                self.repeated += 1
                self.send(who, number, answers=False)

    def arrive(self, who: int) -> None:
        queue = self.under_way[who]
        if not queue:
            return
        told, clock, number, answers = queue.pop(0)
        before = self.links[who]
        try:
            self.links[who], heard = hear(before, told, ENTRIES)
        except UnknownBase:
            self.refused += 1
            return
        assert unpacked(heard) == clock
        self.heard += 1
        self.clocks[who] = merge(self.clocks[who], unpacked(heard))
        if answers:
            self.open[who].pop(number, None)
        else:
            self.goes_on(who)
            self.send(who, number, answers=True)

    def forget(self, who: int) -> None:
        self.links[who] = UNLINKED

    def move(self) -> None:
        who = self.random.randrange(2)
        if self._happens(self.faults.forgets):
            self.forget(who)
        match self.random.randrange(6):
            case 0:
                self.goes_on(who)
            case 1:
                self.ask(who)
            case 2 if self.faults != NONE:
                self.repeat(who)
            case _:
                self.arrive(who)

    def settle(self) -> int:
        """From now on nothing goes wrong. How many rounds of repetitions it takes until all is
        answered."""
        self.faults = NONE
        for rounds in range(10):
            while any(self.under_way):
                self.arrive(self.random.randrange(2))
            if not any(self.open):
                return rounds
            self.repeat(0)
            self.repeat(1)
        raise AssertionError(f"never answered: {self.open}")

    def _happens(self, percent: int) -> bool:
        return self.random.randrange(100) < percent


def courses(faults: Faults, number: int = 60, moves: int = 150) -> Iterator[Course]:
    for seed in range(number):
        course = Course(Random(seed), faults)
        for _ in range(moves):
            course.move()
        yield course


@pytest.mark.parametrize(
    "faults",
    [Faults(lost=30), Faults(twice=30), Faults(overtaken=50), Faults(forgets=10), ALL],
    ids=["lost", "twice", "overtaken", "forgets", "all"],
)
def test_what_is_heard_is_what_was_told_and_all_is_answered(faults: Faults) -> None:
    """The first half of it is in `Course.arrive`."""
    relative = heard = 0
    for course in courses(faults):
        relative += course.relative
        heard += course.heard
        assert course.settle() <= 2
        course.forget(1)
        course.ask(0)
        assert course.settle() <= 1
    assert relative > heard / 10  # it was tried


def test_on_channels_in_order_that_lose_nothing_nothing_is_refused() -> None:
    for course in courses(NONE, number=200):
        course.settle()
        assert (course.refused, course.repeated) == (0, 0)
        assert course.relative > course.heard / 2


@contextmanager
def planted(name: str, replacement: object) -> Iterator[None]:
    with patch.object(clock_links, name, replacement):
        yield


def relative_at_last() -> list[int]:
    """How many of 20 frames are relative, once everything has arrived for a while."""
    relative = []
    for course in courses(ALL):
        course.settle()
        course.little = True
        for turn in range(30):
            if turn == 20:
                before = course.relative
            for who in (0, 1):
                course.ask(who)
                assert course.settle() == 0 or turn < 20
        relative.append((course.relative - before) // 2)
    return relative


def test_once_everything_arrives_again_clocks_are_relative_again() -> None:
    """Whatever went wrong before."""
    assert relative_at_last() == [20] * 60


def frames_until_a_lost_offer_is_made_again(most: int) -> int:
    """Of the peer, which goes on with the offer before it."""
    clock = tuple(n * n for n in range(ENTRIES))
    own, peer = UNLINKED, UNLINKED

    def exchange() -> int | None:
        nonlocal own, peer, clock
        clock = (*clock[:-1], clock[-1] + 1)
        own, told = clock_links.tell(own, packed(clock))
        peer, _ = hear(peer, told, ENTRIES)
        peer, told = clock_links.tell(peer, packed(clock))
        own, _ = hear(own, told, ENTRIES)
        return told.base

    first = exchange()
    assert first is not None
    own, lost = clock_links.tell(own, packed((*clock[:-1], 0)))
    assert lost.offers
    for frames in range(1, most):
        if exchange() != first:
            return frames
    return most


def test_a_lost_offer_is_followed_by_another_one() -> None:
    """Also where nothing is repeated."""
    assert frames_until_a_lost_offer_is_made_again(1000) == PATIENCE + 1
    with planted("PATIENCE", 1 << 40):
        assert frames_until_a_lost_offer_is_made_again(1000) == 1000


def test_what_is_kept_is_bounded() -> None:
    """Whatever a peer says, and however often it asks."""
    random = Random(1)
    course = Course(random, NONE)
    for _ in range(100):
        course.goes_on(0)
        course.ask(0)
        course.repeat(0)
        course.links[0], _ = hear(
            course.links[0], Told((random.randrange(9),) * ENTRIES, None, True), ENTRIES
        )
        assert len(course.links[0].offered) <= KEPT


# Each rule is needed: what breaks without it.


def broken(faults: Faults = ALL) -> str:
    """What is seen to break first: clocks are `wrong`, something is answered `late` or `never`, or
    `refused` where nothing went wrong."""
    try:
        for course in courses(faults, number=30):
            late = course.settle() > 2
            if faults == NONE and course.refused:
                return "refused"
            course.forget(1)
            course.ask(0)
            if late or course.settle() > 1:
                return "late"
    except (AssertionError, MalformedMessage) as error:
        return "never" if "never answered" in str(error) else "wrong"
    return ""


def test_nothing_breaks_as_it_is() -> None:
    assert (broken(ALL), broken(NONE)) == ("", "")


def test_planted_names_that_count_mix_two_lives_up() -> None:
    """Where a base is the n-th offer of an agent, one that comes back counts from the beginning."""
    real_tell, real_name = clock_links.tell, clock_links.name_of

    def counted_tell(link: Link, clock: PackedClock) -> tuple[Link, Told]:
        after, told = real_tell(link, clock)
        if told.offers:
            number = link.offered[-1].name + 1 if link.offered else 1
            after = Link((*link.offered, Offer(number, clock))[-KEPT:], 1 << 40, link.theirs)
        return after, told

    def counted_hear(link: Link, told: Told, entries: int) -> tuple[Link, PackedClock]:
        after, clock = clock_links.hear(link, told, entries)
        if told.offers:
            number = link.theirs.name + 1 if link.theirs and told.base is not None else 1
            after = after._replace(theirs=Offer(number, clock))
        return after, clock

    assert real_name is name_of
    globals_ = {"tell": counted_tell, "hear": counted_hear}
    with patch.dict(Course.send.__globals__, globals_):
        assert broken() == "wrong"


def test_planted_a_base_that_was_never_offered_is_never_known() -> None:
    """The clock told last, whether anything shows that it came or not."""
    real = clock_links.tell

    def last(link: Link, clock: PackedClock) -> tuple[Link, Told]:
        after, told = real(link._replace(awaited=0), clock)
        return after._replace(theirs=after.offered[-1] if after.offered else None), told

    with patch.dict(Course.send.__globals__, {"tell": last}):
        assert broken(NONE) == "refused"


def test_planted_offers_that_are_forgotten_are_refused() -> None:
    with planted("KEPT", 1):
        assert broken(NONE) == "never"


def test_planted_an_offer_a_frame_is_too_many_to_keep() -> None:
    real = clock_links.tell

    def always(link: Link, clock: PackedClock) -> tuple[Link, Told]:
        return real(link._replace(awaited=0), clock)

    with patch.dict(Course.send.__globals__, {"tell": always}):
        assert broken(NONE) == "refused"


def test_planted_repetitions_that_trust_the_peer_are_refused_for_ever() -> None:
    with planted("anew", lambda link: link):
        assert broken(Faults(forgets=10)) == "never"


def test_anew_keeps_what_was_offered() -> None:
    clock = packed((1,) * ENTRIES)
    offer = Offer(name_of(clock), clock)
    assert anew(Link((offer,), 5, offer)) == Link((offer,))
