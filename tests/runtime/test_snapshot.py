"""States of sidecars as bytes, and back: of whatever random worlds come to."""

from __future__ import annotations

from random import Random
from unittest.mock import patch

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choreomon.core.errors import MalformedMessage
from choreomon.monitor import pull
from choreomon.monitor.host import HostState
from choreomon.monitor.pull import Monitor
from choreomon.runtime import snapshot
from choreomon.runtime.driver import Driver
from choreomon.runtime.hosted import SidecarState
from choreomon.runtime.snapshot import decode_snapshot, encode_snapshot
from choreomon.runtime.verdict_counts import VerdictCounts
from tests.runtime.world.drawn import ANY, GAPS, Flavor, draw_case, draw_taste
from tests.runtime.world.playing import Playing


def drivers(seed: int, flavor: Flavor) -> list[Driver]:
    random = Random(seed)
    playing = Playing(draw_case(random, flavor), draw_taste(random, flavor), random)
    playing.play()
    return [each.driver for each in playing.world.agents.values() if each.driver is not None]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1 << 32), st.sampled_from([ANY, GAPS]))
def test_what_was_written_is_read(seed: int, flavor: Flavor) -> None:
    for driver in drivers(seed, flavor):
        data = encode_snapshot(driver.state, driver.sidecar)
        assert decode_snapshot(data, driver.sidecar) == driver.state


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1 << 32), st.data())
def test_what_is_damaged_is_refused_or_a_state(seed: int, data: st.DataObject) -> None:
    driver = drivers(seed % 50, ANY)[:1]
    for each in driver:
        whole = encode_snapshot(each.state, each.sidecar)
        cut = whole[: data.draw(st.integers(0, len(whole) - 1))]
        with pytest.raises(MalformedMessage):
            decode_snapshot(cut, each.sidecar)


def as_version_1(driver: Driver, promises: int | None = None) -> bytes:
    """What an agent wrote that had a promise of every process; or as many as this."""

    def with_all(state: HostState, monitor: Monitor) -> HostState:
        settled = [0] * len(monitor.processes)
        for reader, promised in zip(monitor.readers, state.monitor.settled, strict=True):
            settled[monitor.index_of[reader]] = promised
        return state._replace(monitor=state.monitor._replace(settled=tuple(settled[:promises])))

    monitors = [host.monitor for host in driver.sidecar.hosts]
    state = driver.state
    hosts = tuple(map(with_all, state.hosts, monitors))
    return as_version(1, state._replace(hosts=hosts), driver)


def as_version(version: int, state: SidecarState, driver: Driver) -> bytes:
    """What an agent wrote that counted no verdicts, and knew of no instances."""
    undelivered = {id: declared[:6] for id, declared in state.undelivered.items()}
    values = (state.hosts, state.sessions, undelivered)
    sidecar = driver.sidecar
    return msgspec.msgpack.encode((version, sidecar.process, sidecar.systems, values))


def test_states_that_were_written_with_promises_of_all_are_read() -> None:
    taken_down = 0
    for seed in range(20):
        with patch.object(pull, "SMALL", 1):  # however little they say
            agents = drivers(seed, ANY)
        for driver in agents:
            uncounted = (VerdictCounts(),) * len(driver.sidecar.hosts)
            state = driver.state._replace(counts=uncounted)
            assert decode_snapshot(as_version_1(driver), driver.sidecar) == state
            taken_down += sum(map(any, (host.monitor.settled for host in driver.state.hosts)))
    assert taken_down > 10


def test_a_state_without_counts_of_verdicts_is_read_and_they_begin_there() -> None:
    counted = 0
    for seed in range(20):
        for driver in drivers(seed, ANY):
            data = as_version(2, driver.state, driver)
            uncounted = (VerdictCounts(),) * len(driver.sidecar.hosts)
            state = driver.state._replace(counts=uncounted)
            assert decode_snapshot(data, driver.sidecar) == state
            counted += driver.state != state
    assert counted > 5


def test_one_with_too_few_promises_is_refused() -> None:
    driver, *_ = drivers(3, ANY)
    with pytest.raises(MalformedMessage, match="1 promises of"):
        decode_snapshot(as_version_1(driver, 1), driver.sidecar)


def test_a_state_of_another_version_is_refused() -> None:
    driver, *_ = drivers(3, ANY)
    _, *rest = msgspec.msgpack.decode(encode_snapshot(driver.state, driver.sidecar))
    data = msgspec.msgpack.encode((snapshot.VERSION + 1, *rest))
    with pytest.raises(MalformedMessage, match="a state of version 8; this is version 7"):
        decode_snapshot(data, driver.sidecar)


def test_a_state_of_another_process_is_refused() -> None:
    one, other, *_ = drivers(3, ANY)
    with pytest.raises(MalformedMessage, match="a state of"):
        decode_snapshot(encode_snapshot(one.state, one.sidecar), other.sidecar)
