"""Of a deep interaction no more follow-ups are made than are looked at."""

from __future__ import annotations

from functools import reduce

import pytest

from choreomon.interaction.enabled import Enabled
from choreomon.interaction.term import Interaction, alt, coreg, par
from choreomon.verify.papers.engine import search
from choreomon.verify.papers.options import Options
from choreomon.verify.verdict import Verdict
from tests.verify.papers.questions import a, logs, mask_of

LEAVES = [a(text) for text in ("l1!a", "l2?b", "l1?c", "l2!d") * 40]


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("operator", ["par", "coreg", "alt"])
def test_simulation_makes_only_the_follow_ups_that_it_takes(
    monkeypatch: pytest.MonkeyPatch, operator: str, side: str
) -> None:
    def joined(left: Interaction, right: Interaction) -> Interaction:
        if operator == "coreg":
            return coreg(mask_of("l1"), left, right)
        return {"par": par, "alt": alt}[operator](left, right)

    deep = reduce(joined if side == "left" else lambda one, other: joined(other, one), LEAVES)
    made = []
    whole = Enabled.follow_up

    def counted(self: Enabled) -> Interaction:
        made.append(self)
        return whole(self)

    monkeypatch.setattr(Enabled, "follow_up", counted)
    seen = logs("l1: l1!a; l2: " if operator == "alt" else "l1: l1!a l1?c; l2: l2?b l2!d")
    result = search(deep, seen, "simulate", Options(goal=Verdict.WEAK_PASS))
    assert result.verdict is Verdict.WEAK_PASS
    # Some that are taken lead to a vertex that was visited: equal choices leave the same.
    assert result.vertices - 1 <= len(made) < 10
