"""Channels with delays, in order and out of order."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from choreomon.actors.delays import Constant, Delay, Exponential, LinkDelays, LogNormal, Uniform
from choreomon.actors.randomness import Streams
from simulator.event_queue import APPLICATION, MONITORING, EventQueue
from simulator.network import Network

delays = st.sampled_from(
    (Uniform(0, 0.003), Uniform(1, 20), Exponential(5), LogNormal(3, 2), Constant(0), Constant(4))
)
gaps = st.lists(st.integers(0, 2000), min_size=1, max_size=30)

Arrival = tuple[int, int]
"""The number of a message, and when it arrived."""


def arrivals(
    delay: Delay, seed: int, gaps: list[int], *, in_order: bool = True, name: str = "application"
) -> list[Arrival]:
    """Messages over one channel, with these gaps of time between their departures."""
    event_queue = EventQueue()
    network = Network(
        event_queue, APPLICATION, LinkDelays(delay), Streams(seed), name=name, in_order=in_order
    )
    arrived: list[Arrival] = []

    def arrive(number: int) -> None:
        arrived.append((number, event_queue.now))

    send = network.channel("P1", "P2", arrive)
    departure = 0
    for number, gap in enumerate(gaps):
        departure += gap
        event_queue.schedule_of(APPLICATION)(departure, send, number)
    event_queue.run()
    return arrived


def check_in_order(arrived: list[Arrival], sent: int) -> None:
    """The law: everything arrives once, in the order of sending, times never decreasing."""
    assert [number for number, _ in arrived] == list(range(sent))
    assert all(earlier <= later for (_, earlier), (_, later) in pairwise(arrived))


@given(delays, st.integers(), gaps)
def test_a_channel_in_order_never_overtakes(delay: Delay, seed: int, gaps: list[int]) -> None:
    check_in_order(arrivals(delay, seed, gaps), len(gaps))


def test_the_law_of_order_fails_on_a_network_that_is_not_in_order() -> None:
    def out_of_order(seed: int) -> bool:
        try:
            check_in_order(arrivals(Uniform(1, 20), seed, [0] * 5, in_order=False), 5)
        except AssertionError:
            return True
        return False

    assert any(out_of_order(seed) for seed in range(3))


@given(delays, st.integers(), gaps)
def test_order_only_ever_makes_a_message_wait_for_an_earlier_one(
    delay: Delay, seed: int, gaps: list[int]
) -> None:
    """An arrival in order is the latest of what these and the earlier delays come to."""
    free = dict(arrivals(delay, seed, gaps, in_order=False))
    latest = 0
    for number, time in arrivals(delay, seed, gaps):
        latest = max(latest, free[number])
        assert time == latest


def test_a_delay_is_counted_from_the_departure() -> None:
    assert arrivals(Constant(4), 0, [7, 10]) == [(0, 4007), (1, 4017)]


def test_links_are_directions_and_have_streams_of_their_own() -> None:
    event_queue = EventQueue()
    delays = LinkDelays(Constant(1), {("P1", "P2"): Constant(9), ("P1", "P1"): Constant(0)})
    network = Network(event_queue, APPLICATION, delays, Streams(0), name="application")
    arrived: list[tuple[str, int]] = []

    def arrive(link: str) -> None:
        arrived.append((link, event_queue.now))

    for sender, receiver in (("P1", "P2"), ("P2", "P1"), ("P1", "P1")):
        network.channel(sender, receiver, arrive)(sender + receiver)
    event_queue.run()
    assert arrived == [("P1P1", 0), ("P2P1", 1000), ("P1P2", 9000)]


def test_a_busy_link_does_not_change_the_delays_of_another() -> None:
    def times(busy: int) -> list[int]:
        event_queue = EventQueue()
        delays = LinkDelays(Uniform(1, 20))
        network = Network(event_queue, APPLICATION, delays, Streams(4), name="application")
        arrived: list[int] = []
        other = network.channel("P2", "P1", lambda _: None)
        send = network.channel("P1", "P2", lambda _: arrived.append(event_queue.now))
        for _ in range(5):
            for _ in range(busy):
                other(None)
            send(None)
        event_queue.run()
        return arrived

    assert times(0) == times(3)


def test_the_two_directions_of_a_link_draw_apart() -> None:
    event_queue = EventQueue()
    delays = LinkDelays(Uniform(1, 20))
    network = Network(event_queue, APPLICATION, delays, Streams(0), name="application")
    arrived: dict[str, int] = {}

    def arrive(link: str) -> None:
        arrived[link] = event_queue.now

    for sender, receiver in (("P1", "P2"), ("P2", "P1"), ("P1", "P1")):
        network.channel(sender, receiver, arrive)(sender + receiver)
    event_queue.run()
    assert len(set(arrived.values())) == 3


def test_networks_of_different_names_draw_apart() -> None:
    gaps = [0] * 5
    assert arrivals(Uniform(1, 20), 0, gaps) != arrivals(Uniform(1, 20), 0, gaps, name="monitoring")


def test_at_equal_times_the_application_network_delivers_first() -> None:
    event_queue = EventQueue()
    done: list[str] = []

    def channel(rank: Any, name: str, deliver: Callable[[str], None]) -> Callable[[str], None]:
        return Network(event_queue, rank, LinkDelays(Constant(1)), Streams(0), name=name).channel(
            "P1", "P2", deliver
        )

    channel(MONITORING, "monitoring", done.append)("monitoring")
    channel(APPLICATION, "application", done.append)("application")
    event_queue.run()
    assert done == ["application", "monitoring"]
