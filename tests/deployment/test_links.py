"""Real links take as long as those of the simulator, draw by draw."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choreomon.actors.delays import Constant, Delay, Exponential, LinkDelays, LogNormal, Uniform
from choreomon.actors.randomness import Streams
from choreomon.deployment.links import MICROSECONDS, Links
from tests.simulator.test_network import arrivals

delays = st.sampled_from(
    (Uniform(0, 0.003), Uniform(1, 20), Exponential(5), LogNormal(3, 2), Constant(0), Constant(4))
)
gaps = st.lists(st.integers(0, 2000), min_size=1, max_size=30)
names = st.sampled_from(("application", "monitoring"))


@given(delays, st.integers(), gaps, st.booleans(), names, st.sampled_from((0.5, 1.0, 20.0)))
def test_messages_arrive_when_they_do_in_the_simulator(
    delay: Delay, seed: int, gaps: list[int], in_order: bool, name: str, speed: float
) -> None:
    links = Links(LinkDelays(delay), Streams(seed), name=name, speed=speed, in_order=in_order)
    link = links.between("P1", "P2")
    departure = 0
    arrived = []
    for gap in gaps:
        departure += gap
        arrived.append(link.arrival(departure / speed / MICROSECONDS))
    virtual = dict(arrivals(delay, seed, gaps, in_order=in_order, name=name))
    expected = [virtual[number] for number in range(len(gaps))]
    assert [round(at * speed * MICROSECONDS) for at in arrived] == expected


def test_a_pair_has_one_link_and_each_direction_its_own() -> None:
    links = Links(
        LinkDelays(Uniform(1, 20), {("P2", "P1"): Constant(7)}),
        Streams(0),
        name="application",
        speed=1,
        in_order=True,
    )
    assert links.between("P1", "P2") is links.between("P1", "P2")
    assert links.between("P2", "P1").arrival(1.0) == pytest.approx(1.007)
    assert links.between("P1", "P2").arrival(1.0) != pytest.approx(1.007)
