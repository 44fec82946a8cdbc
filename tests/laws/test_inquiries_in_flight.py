"""However few inquiries may be in flight, agents do not wait for each other for ever."""

from __future__ import annotations

from functools import partial
from random import Random

import pytest

from choreomon.monitor.messages import Inquiry
from choreomon.monitor.rule_sets import RULES
from choreomon.runtime.driver import Driver
from choreomon.runtime.outstanding import Key, OutstandingInquiries
from tests.laws.dense_agents import AGENTS
from tests.runtime.world.drawn import Flavor, draw_case, draw_taste
from tests.runtime.world.playing import Playing
from tests.runtime.world.world import Build

BUSY = AGENTS._replace(processes=(2, 4), events=(15, 30), faults=("part", "drop"), length=600)
PARTED = BUSY._replace(
    processes=(3, 4), events=(40, 60), faults=("part",), most_faults=12, length=1500
)
RUNS = 25


def left(seed: int, in_flight: int, flavor: Flavor = BUSY) -> list[str]:
    """What still waits when everything that can be done is done; nobody gives up. And whatever
    else was wrong."""
    random = Random(seed)
    build = Build(
        rules=RULES[random.choice(("precise", "sound"))],
        driver=partial(Driver, in_flight=in_flight),
    )
    playing = Playing(
        draw_case(random, flavor, build=build)._replace(most_open=None),
        draw_taste(random, flavor),
        random,
    )
    playing.play()
    waiting = playing.heal()
    truth = playing.world.truth
    return [*waiting, *(each.what for each in (*truth.broken, *truth.judge()))]


@pytest.mark.parametrize("in_flight", [1, 2, 5])
def test_nothing_waits_for_ever(in_flight: int) -> None:
    assert [left(seed, in_flight) for seed in range(RUNS)] == [[]] * RUNS


def jumps_the_queue(self: OutstandingInquiries, inquiry: Inquiry, now: float) -> None:
    if len(self._sent) >= self._in_flight:
        self._more = True
        return
    self._sent[self._key(inquiry)] = inquiry
    self._send(inquiry)
    if self.due is None:
        self.due = now + self._wait


def keeps_what_is_in_flight(self: OutstandingInquiries) -> dict[Key, Inquiry]:
    before = self._sent
    every = {self._key(each): each for each in self._outstanding()}
    kept = {key: each for key, each in before.items() if key in every}
    waiting = [key for key in every if key not in kept]
    room = self._in_flight - len(kept)
    self._more = len(waiting) > room
    self._sent = kept | {key: every[key] for key in waiting[:room]}
    return before


def test_the_law_notices_newer_inquiries_that_take_the_place_of_older_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A bug that was real: after a partition nothing was answered until all was given up. One run
    of forty shows it."""
    assert left(22, 1, PARTED) == []
    monkeypatch.setattr(OutstandingInquiries, "ask", jumps_the_queue)
    monkeypatch.setattr(OutstandingInquiries, "choose", keeps_what_is_in_flight)
    assert left(22, 1, PARTED)
