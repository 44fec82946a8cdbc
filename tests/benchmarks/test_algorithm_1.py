"""The compiled Algorithm 1 answers as the search that is compared with it."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from benchmarks.algorithm_1 import compiled, runs
from choreomon.automata.reduced import Reduced
from choreomon.multitrace.multitrace import Component, MultiTrace
from tests.automata.drawn import drawn_automaton


def test_it_answers_as_the_search_by_layers(tmp_path: Path) -> None:
    program = compiled(tmp_path)
    if program is None:
        pytest.skip("there is no C++ compiler (g++ or clang++)")
    accepted = 0
    for seed in range(150):
        rng = Random(seed)
        protocol = drawn_automaton(rng)
        asked = [
            MultiTrace(
                tuple(
                    Component(
                        (name,),
                        tuple(
                            protocol.letters[rng.choice(own)]
                            for _ in range(rng.randint(0, 3) if own else 0)
                        ),
                    )
                    for name, own in protocol.letters_of.items()
                )
            )
            for _ in range(10)
        ]
        expected = [Reduced(protocol).decide(one.components).explained for one in asked]
        found = runs(program, protocol, asked)
        assert [run.passes for run in found] == expected
        assert all(run.built >= protocol.initial.bit_count() or run.passes for run in found)
        accepted += sum(expected)
    assert 100 < accepted < 1400
