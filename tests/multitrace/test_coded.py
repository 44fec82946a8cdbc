"""Coded traces are the tuples of their actions, only smaller."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choreomon.core.action import Action, emission
from choreomon.multitrace.coded import LONG, CodedTrace, TraceBuilder

ACTIONS = [emission("l", f"m{number}") for number in range(5)]


def coded(actions: list[Action]) -> CodedTrace:
    builder = TraceBuilder()
    codes = [builder.code(action) for action in actions]
    builder.extend(codes * LONG)
    trace = builder.trace()
    assert isinstance(trace, CodedTrace)
    return trace[: len(actions)]


@given(st.lists(st.sampled_from(ACTIONS), min_size=1), st.integers(-9, 9), st.data())
def test_a_coded_trace_behaves_as_the_tuple_of_its_actions(
    actions: list[Action], at: int, data: st.DataObject
) -> None:
    trace, plain = coded(actions), tuple(actions)
    assert trace == plain
    assert plain == trace
    assert hash(trace) == hash(plain)
    assert tuple(trace) == plain
    assert [*reversed(trace)] == [*reversed(plain)]
    part = data.draw(st.slices(len(plain)))
    assert trace[part] == plain[part]
    assert (ACTIONS[0] in trace) is (ACTIONS[0] in plain)
    if -len(plain) <= at < len(plain):
        assert trace[at] == plain[at]
    else:
        with pytest.raises(IndexError):
            trace[at]
    assert [trace.alphabet[code] for code in trace.codes] == actions


def test_traces_that_differ_are_not_equal() -> None:
    assert coded(ACTIONS) != tuple(ACTIONS[:-1])
    assert coded(ACTIONS) != tuple(reversed(ACTIONS))
    assert coded(ACTIONS) != "m"


def test_what_a_tuple_does_not_equal_a_coded_trace_does_not_equal() -> None:
    others: list[object] = [ACTIONS, dict.fromkeys(ACTIONS), len(ACTIONS), None]
    for other in others:
        assert tuple(ACTIONS) != other
        assert coded(ACTIONS) != other


@pytest.mark.parametrize(("different", "width"), [(200, 1), (300, 2), (70_000, 4)])
def test_codes_are_as_wide_as_the_number_of_actions_asks_for(different: int, width: int) -> None:
    builder = TraceBuilder()
    actions = [emission("l", f"m{number}") for number in range(different)]
    for start in range(0, different, 100):
        builder.extend([builder.code(action) for action in actions[start : start + 100]])
    builder.extend([0] * LONG)
    trace = builder.trace()
    assert isinstance(trace, CodedTrace)
    assert memoryview(trace.codes).nbytes == len(trace) * width
    assert trace[:different] == tuple(actions)


def test_short_traces_are_tuples() -> None:
    builder = TraceBuilder()
    builder.extend([builder.code(ACTIONS[0])] * (LONG - 1))
    assert builder.trace() == (ACTIONS[0],) * (LONG - 1)
    assert isinstance(builder.trace(), tuple)
    assert builder.lifelines == {"l"}
