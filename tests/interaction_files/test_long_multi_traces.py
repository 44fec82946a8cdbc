"""Long texts in their usual form are read as in pieces."""

from __future__ import annotations

from random import Random

import pytest

from choreomon.hibou import multitrace
from choreomon.hibou.multitrace import CHUNK, MultiTraceReader
from choreomon.multitrace.coded import LONG, CodedTrace


def text(rng: Random, different: int, actions: int) -> str:
    """Of actions that are spelt in several ways."""
    words = [f"{rng.choice('ab')}{rng.choice('!?')}m{number}" for number in range(different)]
    spelt = [*words, *(f" {word} " for word in words)]
    spelt += [word.replace("!", " ! ") for word in words]
    return "{ [a,b] " + ".".join(rng.choice(spelt) for _ in range(actions)) + "; [c] }"


@pytest.mark.parametrize("different", [1, 4, 80, 100, 300])
@pytest.mark.parametrize("actions", [LONG - 1, LONG, 3 * LONG])
def test_long_logs_are_read_as_in_pieces(
    different: int, actions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = Random(different * actions)
    reader = MultiTraceReader(("d",))
    texts = [text(rng, different, actions), text(rng, max(1, different // 2), actions)]
    for each in texts:
        quickly = reader._quickly(each)
        pieces = reader.read_chunks(each[at : at + 1000] for at in range(0, len(each), 1000))
        assert quickly is not None
        assert reader.read(each) == quickly == pieces
        trace = quickly.components[0].actions
        assert isinstance(trace, CodedTrace) is (actions >= LONG)
        if isinstance(trace, CodedTrace):
            assert sorted(trace.alphabet) == sorted(set(trace))  # no other actions, and none twice
    monkeypatch.setattr(multitrace, "QUICK", CHUNK)
    assert MultiTraceReader(("d",)).read(texts[0]) == reader.read(texts[0])
