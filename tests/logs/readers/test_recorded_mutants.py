"""Whatever a log holds: events, diagnostics, or `DocumentError`."""

from __future__ import annotations

import json
from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import log_mutants
from benchmarks.log_mutants import Log, logs_in, outcome, try_mutants
from choreomon.core.errors import DocumentError
from choreomon.logs.formats import FORMATS
from tests.logs.readers.logs_for_tests import SHIVIZ, read

LOGS = logs_in(SHIVIZ)
NAMES = (
    *("resourceSpans", "scopeSpans", "spans", "spanId", "traceId", "kind", "links", "attributes"),
    *("key", "value", "resource", "name", "context", "clock", "process", "status", "scope"),
    *("startTimeUnixNano", "intValue", "arrayValue", "values"),
)


def judged(content: bytes, format: str | None) -> str:
    """What the reader says against the log, or how much it found. Lets out everything but
    `DocumentError`."""
    try:
        return f"{len(read(content, format))} events and diagnostics"
    except DocumentError as error:
        return str(error)


def test_mutants_of_all_logs_are_read_or_told() -> None:
    found = try_mutants(LOGS, 50 * len(LOGS), seed=1)
    assert {name: sum(kind) for name, kind in found.items()} == dict.fromkeys(LOGS, 50)
    together = [sum(numbers) for numbers in zip(*found.values(), strict=True)]
    assert all(number > sum(together) / 40 for number in together), together


@pytest.mark.parametrize("wrong", [KeyError, RecursionError, UnicodeDecodeError])
def test_an_error_that_is_not_documented_is_found(
    wrong: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def planted(*_: object, **__: object) -> None:
        raise wrong(*(("utf-8", b"", 0, 1, "x") if wrong is UnicodeDecodeError else ("x",)))

    monkeypatch.setattr(log_mutants, "read_recorded", planted)
    with pytest.raises(wrong) as caught:
        try_mutants(LOGS, 30, seed=1)
    assert "of seed 1" in caught.value.__notes__[0]


@settings(max_examples=300)
@given(st.binary(max_size=200), st.sampled_from((None, *FORMATS)))
def test_any_bytes_are_read_or_told(content: bytes, format: str | None) -> None:
    assert judged(content, format)


@settings(max_examples=200)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(NAMES),
                inner,
                max_size=4,
            )
        ),
        max_leaves=20,
    ),
    st.sampled_from(["otlp", "jsonl", "events"]),
)
def test_any_json_is_read_or_told(value: object, format: str) -> None:
    assert judged(json.dumps(value).encode(), format)


def test_outcomes_are_told_apart() -> None:
    kinds = Counter(
        outcome(Log(b'{"process": "a", "name": "m"}\n{'), Random(seed), [b""]) for seed in range(60)
    )
    assert {*kinds} == {"told", "refused"}
    unchanged = Counter(outcome(LOGS["jsonl"], Random(seed), [b""]) for seed in range(60))
    assert unchanged["read"] > 30, unchanged
