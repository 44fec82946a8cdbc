"""Long multi-traces need memory for what may remain, not for every action."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from typing import Final

import pytest

from choreomon.core.action import Action
from choreomon.interaction.term import Interaction, alt, loop_w, seq
from choreomon.multitrace.coded import TraceBuilder
from choreomon.multitrace.multitrace import MultiTrace, component, multi_trace
from choreomon.verify import beam_search, look_ahead
from choreomon.verify.beam_search import ExactMode
from choreomon.verify.verdict import Verdict
from choreomon.verify.verifier import Verifier
from tests.verify.papers.questions import a

BYTES: Final = 12
"""At most so many for an action, beside those of the multi-trace."""


def repeated(times: int, text: str) -> Sequence[Action]:
    """The actions of a text, over and over."""
    builder = TraceBuilder()
    codes = [builder.code(part.action) for part in map(a, text.split()) if part.action is not None]
    for _ in range(times):
        builder.extend(codes)
    return builder.trace()


def orders(times: int) -> tuple[Interaction, MultiTrace]:
    """So many orders, of which everyone saw all, with two outcomes that are told apart late."""
    term = loop_w(
        seq(
            seq(a("l1!order"), a("l2?order")),
            seq(
                seq(a("l2!charge"), a("l3?charge")),
                alt(
                    seq(seq(a("l3!yes"), a("l2?yes")), seq(a("l2!parcel"), a("l1?parcel"))),
                    seq(seq(a("l3!no"), a("l2?no")), seq(a("l2!sorry"), a("l1?sorry"))),
                ),
            ),
        )
    )
    l1 = "l1!order l1?parcel l1!order l1?sorry"
    l2 = "l2?order l2!charge l2?yes l2!parcel l2?order l2!charge l2?no l2!sorry"
    l3 = "l3?charge l3!yes l3?charge l3!no"
    logs = {"l1": l1, "l2": l2, "l3": l3}
    return term, multi_trace(
        component([name], repeated(times // 2, log)) for name, log in logs.items()
    )


def guesses(times: int) -> tuple[Interaction, MultiTrace]:
    """So many choices that are made before anybody can tell which one was right."""
    term = loop_w(
        alt(seq(a("l1!m"), seq(a("l2?m"), a("l2!x"))), seq(a("l1!m"), seq(a("l2?m"), a("l2!y"))))
    )
    logs = {"l1": "l1!m l1!m", "l2": "l2?m l2!y l2?m l2!x"}
    return term, multi_trace(
        component([name], repeated(times // 2, log)) for name, log in logs.items()
    )


def grown(term: Interaction, seen: MultiTrace, mode: ExactMode) -> float:
    """Bytes for each action, at most at any time, of a decision that passes."""
    verifier = Verifier(term, mode)
    tracemalloc.start()
    try:
        assert verifier.decide(seen).verdict is Verdict.PASS
        return tracemalloc.get_traced_memory()[1] / seen.length
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("mode", ["accept", "slice"])
def test_a_decision_about_long_logs_needs_a_few_bytes_for_each_action(mode: ExactMode) -> None:
    assert grown(*orders(3_000), mode) < BYTES


@pytest.mark.usefixtures("by_search")
def test_choices_that_are_told_apart_late_are_not_kept_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(beam_search, "REMEMBERED", 100)
    monkeypatch.setattr(look_ahead, "KEPT", 100)
    assert grown(*guesses(1_500), "multiprefix") < 4 * BYTES


@pytest.mark.usefixtures("by_search")
def test_the_bound_notices_answers_that_are_kept_for_every_place() -> None:
    assert grown(*guesses(1_500), "multiprefix") > 4 * BYTES
