"""Whatever a file holds, `DocumentError` is all that ever leaves the readers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from choreomon.core.errors import DocumentError
from choreomon.hibou.configuration_reader import read_configuration
from choreomon.hibou.model import read_interaction, read_model, read_signature
from choreomon.hibou.multitrace import read_multi_trace
from choreomon.hibou.signature import Signature
from choreomon.interaction_files.configuration_json import (
    read_configuration_json,
    write_configuration_json,
)
from choreomon.interaction_files.offline_json import (
    read_interaction_json,
    read_multi_trace_json,
    read_signature_json,
    write_interaction_json,
    write_multi_trace_json,
    write_signature_json,
)
from choreomon.logs.event_log import multi_trace_of_events
from tests.hibou.samples import (
    FIGURE_14,
    FIGURE_15,
    FIGURE_16,
    FIGURE_17,
    FIGURE_18,
    MODEL_NAMES,
    MODELS,
)

EVENT = (
    '{"index":0,"time":0,"event":"send","process":"l1","message":'
    '{"sender":"l1","name":"m1","receiver":"l2"},"clock":{"l1":1}}'
)
SIGNATURE = read_signature(FIGURE_14)
READERS: list[Callable[[str], object]] = [
    read_signature,
    read_interaction,
    lambda text: read_interaction(text, Signature(("l1",), ("m1",))),
    read_model,
    read_multi_trace,
    lambda text: read_multi_trace(text, ("l1", "x"), Signature(("l1",), ("m1",))),
    read_configuration,
    read_signature_json,
    read_interaction_json,
    read_multi_trace_json,
    read_configuration_json,
    lambda text: multi_trace_of_events(text.splitlines()),
]
VALID = [
    *(FIGURE_14, FIGURE_15, FIGURE_16, FIGURE_17, FIGURE_18, FIGURE_14 + FIGURE_15, EVENT),
    write_signature_json(SIGNATURE),
    write_interaction_json(read_interaction(FIGURE_15)),
    write_multi_trace_json(read_multi_trace(FIGURE_16)),
    write_configuration_json(read_configuration(FIGURE_17 + FIGURE_18)),
    "{\n[l1] l1!m1.l1?m2;\n[l2]\n}",
    *((MODELS / f"{name}.hif").read_text() for name in MODEL_NAMES),
]


def refusal(read: Callable[[str], object], text: str) -> DocumentError | None:
    try:
        read(text)
    except DocumentError as error:
        return error
    return None


def judge(text: str) -> None:
    """Lets everything but values and well-formed refusals out."""
    lines = text.count("\n") + 1 + len(text.splitlines())
    for read in READERS:
        error = refusal(read, text)
        if error is not None:
            assert error.problems
            assert all(found.message and 0 <= found.line <= lines for found in error.problems)


SIGNS = [*"{}[]()<>@#.,;!?=|-/*\"'\\ \n:0179ab", "--", "->", "/*", "*/", "∅", "⊤", "é", "\ud800"]
WORDS = [
    *("seq(", "strict", "loopC(l1)(", "coreg(", "o", "l1", "m1", "l1!m1", "@lifeline{"),
    *("@analyze_option{", "analysis_kind = simulate[", "loggers = [graphic[", '{"kind":'),
]


@settings(max_examples=100)
@given(st.text() | st.lists(st.sampled_from([*SIGNS, *WORDS]), max_size=40).map("".join))
@example("\ud800")
@example("\x00")
@example("\ufeff")
@example("²!m")
def test_any_text_is_read_or_told(text: str) -> None:
    judge(text)


@settings(max_examples=120)
@given(st.sampled_from(VALID), st.data())
def test_damaged_files_are_read_or_told(text: str, data: st.DataObject) -> None:
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 8)))
        text = text[:start] + data.draw(st.sampled_from(["", *SIGNS, *WORDS])) + text[end:]
    judge(text)


@pytest.mark.parametrize("opening", ["(", "[", "{", "seq(", "loopC(a)(", "x=[", "@", "/*", '{"a":'])
def test_openings_without_end_are_told(opening: str) -> None:
    for prefix in ("", "@analyze_option{", "@lifeline{a}", '{"kind":"interaction","nodes":'):
        judge(prefix + opening * 2_000)


def test_the_law_notices_a_reader_that_lets_another_error_out() -> None:
    judge("seq(a!m, o)")
    READERS.append(int)
    try:
        with pytest.raises(ValueError, match="invalid literal"):
            judge("seq(a!m, o)")
    finally:
        READERS.remove(int)


def test_every_valid_sample_is_valid() -> None:
    for text in VALID:
        assert any(refusal(read, text) is None for read in READERS)
