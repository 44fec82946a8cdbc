"""What a component may see of a late term is cut by nothing that may still happen unobserved."""

from __future__ import annotations

import pytest

from choreomon.interaction.term import Interaction, strict
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify import late_search
from choreomon.verify.verdict import Verdict
from choreomon.verify.verifier import Verifier
from tests.verify.papers.questions import a, logs

# l1 cannot have begun before the others are done: only then is `l1?n` done unobserved.
LAST = strict(*[a("l2!m"), a("l3!m")] * 3, a("l1?n"), a("l1?m"))
LAST_SEEN = logs("l1: l1?m; l2,l3: l2!m l3!m l2!m l3!m l2!m")


@pytest.mark.parametrize("tries", [(), (1,), late_search._TRIES])
def test_what_cannot_happen_yet_may_happen_unobserved_later(
    tries: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(late_search, "_TRIES", tries)
    assert decided(LAST, LAST_SEEN) is Verdict.WEAK_PASS


def decided(term: Interaction, seen: MultiTrace) -> Verdict:
    return Verifier(term, "slice").decide(seen).verdict
