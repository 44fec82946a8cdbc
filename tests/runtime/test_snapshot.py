"""States of sidecars as bytes, and back: of whatever random worlds come to."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choreomon.core.errors import MalformedMessage
from choreomon.runtime.driver import Driver
from choreomon.runtime.snapshot import decode_snapshot, encode_snapshot
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


def test_a_state_of_another_process_is_refused() -> None:
    one, other, *_ = drivers(3, ANY)
    with pytest.raises(MalformedMessage, match="a state of"):
        decode_snapshot(encode_snapshot(one.state, one.sidecar), other.sidecar)
