"""Logs of several machines, put together."""

from __future__ import annotations

import pytest
from hypothesis import given

from choreomon.hibou.multitrace import read_multi_trace
from choreomon.multitrace.joining import joined
from choreomon.multitrace.multitrace import Component, MultiTrace
from tests.multitrace.drawn import multi_traces


def together(*texts: str) -> str:
    logs = map(read_multi_trace, texts)
    return str(joined(zip(("one", "two"), logs, strict=True)))


@given(multi_traces())
def test_what_was_in_one_file_for_each_clock_is_as_it_was(whole: MultiTrace) -> None:
    alone = [MultiTrace((part,)) for part in whole.components]
    assert joined((str(number), one) for number, one in enumerate(alone)) == whole


@given(multi_traces())
def test_a_log_may_name_the_others(whole: MultiTrace) -> None:
    """As event logs do: of a log that names a machine without its actions, nothing is left."""
    named = [
        MultiTrace(
            tuple(
                part if part is own else Component(part.lifelines, ()) for part in whole.components
            )
        )
        for own in whole.components
    ]
    assert joined((str(number), one) for number, one in enumerate(named)) == whole


def test_components_stay_in_their_order() -> None:
    assert together("{[c] c!m; [b]}", "{[a] a?m; [b] b!n}") == "{[c] c!m; [b] b!n; [a] a?m}"
    assert together("{[a]}", "{[a]}") == "{[a]}"


@pytest.mark.parametrize(
    ("first", "second", "lifeline"),
    [
        ("{[a] a!m}", "{[b] b!n; [a] a!m}", "a"),
        ("{[a,b] a!m}", "{[b] b!n}", "b"),
        ("{[a,b]}", "{[b] b!n}", "b"),
        ("{[a,b] a!m}", "{[b]}", "b"),
    ],
)
def test_a_lifeline_has_one_log_and_one_clock(first: str, second: str, lifeline: str) -> None:
    with pytest.raises(ValueError, match=f"^{lifeline} has a log in one and in two; of one run it"):
        together(first, second)
