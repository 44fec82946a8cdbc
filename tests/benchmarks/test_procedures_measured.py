"""`benchmarks.procedures`: its words and kinds are what they say, and where the centralized
procedure builds thousands of states the reduced form visits tens."""

from __future__ import annotations

from random import Random

import pytest

from benchmarks.procedures import DATA, LENGTHS, measure, placed, show, slices, split, words

TEXT = DATA.joinpath("nfa", "nfa1_94states.timbuk").read_text("utf-8")


def test_words_are_accepted_and_of_the_lengths_that_are_asked_for() -> None:
    one = placed(TEXT, 3, Random(1))
    assert (one.states, len(one.edges), len(one.lifelines)) == (94, 320, 3)
    for word in words(one, Random(2), 20, LENGTHS):
        assert LENGTHS[0] <= len(word) <= LENGTHS[1]
        assert one.accepts(word)
        assert sum(len(log.actions) for log in split(one, word)) == len(word)


def test_tens_instead_of_thousands(capsys: pytest.CaptureFixture[str]) -> None:
    rng = Random(0)
    found, unfinished = measure(placed(TEXT, 3, rng), rng, 45)
    assert unfinished == 0
    central = found["CentralError"]
    assert len(central) > 1
    assert sum(one.built > 2_000 for one in central) > 1
    assert all(one.cuts < 50 for one in central)
    assert all(one.cuts == 0 for one in found["LocalError"])
    assert all(one.cuts < 50 for one in found["InterError"])
    show(found, unfinished)
    assert "0 not finished with 1,000,000 states" in capsys.readouterr().out


def test_slices_are_decided_alike_by_both(capsys: pytest.CaptureFixture[str]) -> None:
    slices("rover", Random(0), 12)
    assert "of 12 slices fit" in capsys.readouterr().out
