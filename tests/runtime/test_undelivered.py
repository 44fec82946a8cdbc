"""Words that were not delivered: a dictionary that is a value, and of which most is shared."""

from __future__ import annotations

from random import Random

import pytest

from choreomon.core.verdict import VIOLATED, MonitorVerdict
from choreomon.runtime.outputs import DeclaredVerdict
from choreomon.runtime.undelivered import BLOCK, UndeliveredVerdicts


def word(number: int) -> DeclaredVerdict:
    return DeclaredVerdict(
        f"word {number}", 0, number, "", MonitorVerdict(VIOLATED, "P", (number,), (), ()), False
    )


@pytest.mark.parametrize("seed", range(5))
def test_it_is_what_a_dictionary_is(seed: int) -> None:
    random = Random(seed)
    plain: dict[str, DeclaredVerdict] = {}
    untold = UndeliveredVerdicts()
    for number in range(2000):
        before, was = untold, dict(untold.items())
        if random.random() < 0.7:
            # Now and then one that is there already, which keeps its place.
            each = word(random.choice((number, number, number, random.randrange(number + 1))))
            plain.setdefault(each.id, each)
            untold = untold.added(each)
        else:
            some = [*[*plain][: random.choice((1, 3, 400))], f"word {random.randrange(2000)}"]
            for id in some:
                plain.pop(id, None)
            untold = untold.without(some)
        assert [*untold.items()] == [*plain.items()]
        assert [*untold] == [*plain]
        assert [*untold.values()] == [*plain.values()]
        assert len(untold) == len(plain)
        assert (f"word {number}" in untold) == (f"word {number}" in plain)
        assert dict(before.items()) == was
    assert UndeliveredVerdicts.of(plain) == untold
    assert UndeliveredVerdicts.of(plain) != untold.added(word(-1))


def copied(before: UndeliveredVerdicts, after: UndeliveredVerdicts) -> int:
    """How many words of it are not shared."""
    shared = {id(block) for block in before._blocks}
    return sum(len(block) for block in after._blocks if id(block) not in shared)


def test_of_many_none_is_lost_and_blocks_are_no_larger() -> None:
    plain = {each.id: each for each in map(word, range(3 * BLOCK + 1))}
    untold = UndeliveredVerdicts.of(plain)
    assert [*untold.items()] == [*plain.items()]
    assert [*map(len, untold._blocks)] == [BLOCK, BLOCK, BLOCK, 1]


def test_what_a_change_copies_does_not_grow_with_how_many_there_are() -> None:
    untold = UndeliveredVerdicts()
    for number in range(20 * BLOCK):
        after = untold.added(word(number))
        assert copied(untold, after) <= BLOCK
        untold = after
    for number in range(20 * BLOCK):
        after = untold.without([f"word {number}"])
        assert copied(untold, after) < BLOCK
        untold = after
    assert len(untold) == 0
