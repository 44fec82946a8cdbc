"""The line of a verdict has 16 KB at most, whatever there is to say."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choreomon.agent_files.table_shape import MAX_PARAMETERS
from choreomon.agent_files.verdict_json import decode_verdict_untrusted, verdict_line
from choreomon.agent_files.verdict_size import MOST_BYTES, fitted
from choreomon.core.binding import MAX_VALUE
from choreomon.core.live import EventName, LiveReason, LiveRule, LiveVerdict
from choreomon.core.names import written
from choreomon.core.verdict import FRM, POSSIBLY_VIOLATED, VIOLATED, WITHDRAWN
from choreomon.terminal.live_verdict import live_explanation, live_word_line
from tests.agent_files.live_verdicts import BY_HAND


def size(verdict: LiveVerdict) -> int:
    return len(verdict_line(verdict)) + 1


def name(number: int, length: int, letter: str = "n") -> str:
    return f"{number:06}".ljust(length, letter)


def large(
    *,
    processes: int = 3,
    length: int = 8,
    transitions: int = 1,
    reasons: int = 0,
    certain: int | None = None,
    letter: str = "n",
) -> LiveVerdict:
    """One with so many of everything. The pre record for the transition number `certain` is."""

    def state(number: int, which: str) -> str:
        return name(number, length - 1) + which

    names = [name(number, length, letter) for number in range(processes)]
    because = []
    for number in range(reasons):
        transition = (state(number, "a"), state(number % transitions, "b"))
        event = EventName(names[number % processes], number + 1)
        sure = certain is not None and number % transitions == certain
        because.append(LiveReason(event, transition, "pre", FRM, "concurrent", sure))
        if not sure:
            because.append(
                LiveReason(
                    *(EventName(names[0], 1 << 52), (transition[1], transition[0]), "vio"),
                    *(FRM, "concurrent", False, event, transition, EventName(names[0], 1 << 51)),
                )
            )
    return replace(
        BY_HAND,
        id=f"{BY_HAND.system}/{names[0]}/7/possibly-violated-for-now",
        property=letter * 50 * length,
        process=names[0],
        label=f"handle {names[0]} -> {names[1]} : {name(0, length, letter)}",
        clock={each: (1 << 52) + place for place, each in enumerate(names)},
        transitions=tuple((state(n, "b"), state(n, "c")) for n in range(transitions)),
        because=tuple(because),
        silent=tuple(names),
        waiting_for=tuple(names),
        sequences=(2,) * transitions,
    )


@pytest.mark.parametrize(
    ("letter", "length", "kept"), [("x", 8, True), ("\0", 8, True), ("\0", 200, False)]
)
def test_the_largest_values_are_said_unless_names_are_as_long(
    letter: str, length: int, kept: bool
) -> None:
    """Of as many parameters as there may be; the largest in JSON is what has to be escaped."""
    values = {name(number, length): letter * MAX_VALUE for number in range(MAX_PARAMETERS)}
    whole = replace(large(processes=1024, length=length, transitions=30, reasons=16))
    found = fitted(replace(whole, instance=values), size)
    assert size(found) <= MOST_BYTES
    assert (found.instance == values) is kept
    assert found.left_out.get("for", 0) == (0 if kept else MAX_PARAMETERS)


@pytest.mark.parametrize("length", [8, 60, 200])
@pytest.mark.parametrize(
    ("processes", "transitions", "reasons"),
    [
        *((2, 1, 0), (1024, 1, 0), (2, 2000, 0), (2, 1, 2000)),
        *((40, 30, 16), (1024, 30, 16), (1024, 1, 500), (1024, 1000, 500), (2, 20, 8)),
    ],
)
def test_it_is_never_longer(length: int, processes: int, transitions: int, reasons: int) -> None:
    whole = large(processes=processes, length=length, transitions=transitions, reasons=reasons)
    for verdict in (VIOLATED, POSSIBLY_VIOLATED, WITHDRAWN):
        each = fitted(replace(whole, verdict=verdict), size)
        assert size(each) <= MOST_BYTES
        assert decode_verdict_untrusted(verdict_line(each)) == each
        for field in ("clock", "transitions", "because", "silent", "waiting_for", "sequences"):
            had, has = len(getattr(whole, field)), len(getattr(each, field))
            assert had - has == each.left_out.get(field, 0)
        assert each.process in each.clock
        assert each.transitions
        if reasons and verdict != VIOLATED:  # then some need none
            assert each.because
        live_explanation(each)
        live_word_line(each)


@pytest.mark.parametrize("letter", ["\U0001f600", '"', "\\", "\u00e4"])
@pytest.mark.parametrize("processes", [2, 1024])
def test_it_is_never_longer_whatever_processes_are_called(letter: str, processes: int) -> None:
    whole = large(processes=processes, length=200, transitions=30, reasons=16, letter=letter)
    first, second = (written(each) for each in whole.silent[:2])
    label = f"handle {first} -> {second} : {first}"
    rule = LiveRule("r" * 200, {"s": first}, 20_000 * letter, "note", "https://x/y", ("a", "b"))
    whole = replace(whole, label=label, rule=rule, instance={"order": "\0" * MAX_VALUE})
    fit = fitted(whole, size)
    assert fit.rule == LiveRule("r" * 200, severity="note")
    assert fit.left_out["rule"] == 4
    assert size(fit) <= MOST_BYTES
    assert decode_verdict_untrusted(verdict_line(fit)) == fit
    assert fit.process in fit.clock
    assert fit.transitions
    live_explanation(fit)


def test_what_is_short_stays_as_it_is() -> None:
    verdict = large(processes=40, length=20, transitions=3, reasons=8)
    assert fitted(verdict, size) is verdict
    assert "left_out" not in json.loads(verdict_line(verdict))


@settings(max_examples=30)
@given(st.integers(0, 29))
def test_a_transition_that_certainly_fired_is_kept(certain: int) -> None:
    whole = large(length=150, transitions=30, reasons=30, certain=certain)
    verdict = fitted(replace(whole, verdict=VIOLATED, silent=(), waiting_for=()), size)
    assert size(verdict) <= MOST_BYTES
    assert len(verdict.transitions) < 30
    assert verdict.transitions[0] == whole.transitions[certain]
    assert verdict.because[0].certain
    sources = {source for source, _ in verdict.transitions}
    pres = [each for each in verdict.because if each.role == "pre"]
    assert all(pre.transition[1] in sources for pre in pres)


def test_names_that_were_left_out_are_counted_in_words() -> None:
    verdict = fitted(large(processes=500, length=100), size)
    assert live_word_line(verdict).plain.endswith("492 more")
    assert "492 more had not answered by then." in str(live_explanation(verdict))


def test_it_does_not_claim_that_one_of_those_that_are_told_fired() -> None:
    whole = replace(large(length=200, transitions=30, reasons=30), verdict=VIOLATED, silent=())
    verdict = fitted(whole, size)
    more = verdict.left_out["transitions"]
    sentences = live_explanation(verdict).sentences
    assert f"or one of {more} more transitions certainly fired here" in sentences[0]
    assert sentences[-1].startswith("In every possible order a forbidden sequence was formed.")
