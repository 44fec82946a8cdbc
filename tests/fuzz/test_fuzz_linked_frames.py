"""Damaged frames whose clocks are relative to others: each is refused as malformed, or read."""

from __future__ import annotations

from random import Random

from benchmarks.fuzz import checks
from benchmarks.fuzz.mutants import damaged, mutated_pack
from benchmarks.fuzz.premises import MANY, conversation
from choreomon.agent_files.wire import open_untrusted, unlinked
from choreomon.core.errors import MalformedMessage

FRAMES = 4_000


def test_damaged_frames_are_refused_or_read() -> None:
    random = Random(5)
    pool, link = conversation(Random(0), checks.SYSTEM)
    check = checks.make_check_linked()
    taken = 0
    for number in range(FRAMES):
        data = (mutated_pack if number % 2 else damaged)(random, pool)
        check(data)
        try:
            unlinked(open_untrusted(data), len(MANY), link)
            taken += 1
        except MalformedMessage:
            pass
    assert FRAMES / 50 < taken < FRAMES / 2  # some are damaged where it does not matter


def test_some_of_what_is_damaged_is_relative() -> None:
    pool, _ = conversation(Random(0), checks.SYSTEM)
    assert [open_untrusted(data).base is not None for data in pool] == [False] * 2 + [True] * 6
