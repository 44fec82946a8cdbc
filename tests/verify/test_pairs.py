"""Two messages at a time: what is left of a question when only their actions are looked at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

import pytest

from choreomon.interaction.lifelines import ALL, NONE, Mask
from choreomon.interaction.normal import normal
from choreomon.interaction.term import Interaction, alt, loop_w, seq
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify import late_search, pairs
from choreomon.verify.exact import observed_parts
from choreomon.verify.exact_search import STOPPED, TOO_MANY_VERTICES, Exhausted, Limits, Places
from choreomon.verify.late import LateTerm
from choreomon.verify.pairs import Pair, Pairs
from choreomon.verify.views import Views
from tests.verify.exact_cases import longer
from tests.verify.papers.questions import logs, passing
from tests.verify.test_late_search import wrong, wrong_by_name
from tests.verify.test_runs import searched

MESSAGES = loop_w(alt(passing("l1", "m", "l2"), passing("l2", "n", "l3")))
ENDED = seq(MESSAGES, passing("l3", "o", "l2"))
"""Before `l2?o`, all `l1!m` were received."""
TOO_FEW = logs(
    "l1,l3: l1!m l3?n l1!m l3?n l3?n l1!m l3?n l1!m l3?n l3!o;"
    "l2: l2!n l2?m l2!n l2!n l2?m l2!n l2?m l2!n l2?o"
)
"""No multi-prefix: three `l2?m`, of four `l1!m`."""


def everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Single messages and pairs are asked about at every vertex, however hard."""
    monkeypatch.setattr(late_search, "_TRIES", ())
    monkeypatch.setattr(late_search, "_EASY", 0)
    monkeypatch.setattr(pairs, "EASIER", 1e-9)
    monkeypatch.setattr(pairs, "SHARE", 10**9)
    monkeypatch.setattr(
        pairs,
        "combinations",
        lambda often, number: [*combinations(often, 1), *combinations(often, number)],
    )


def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(late_search, "_EASY", 10**9)


def differences(
    seeds: Iterable[int], monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Interaction, MultiTrace]]:
    for seed in seeds:
        for interaction, seen in longer(seed):
            for before in (True, False):
                nowhere(monkeypatch)
                answer, _ = searched(interaction, seen, before)
                everywhere(monkeypatch)
                if searched(interaction, seen, before)[0] is not answer:
                    yield interaction, seen


def test_two_messages_tell_that_too_few_were_received(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(late_search, "_TRIES", ())
    visited = []
    for easy in (0, 10**9):
        monkeypatch.setattr(late_search, "_EASY", easy)
        answer, count = searched(ENDED, TOO_FEW, before=False)
        assert not answer
        visited.append(count)
    assert visited[0] * 2 < visited[1]


def test_pairs_change_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[bool] = []
    whole = Pairs.allow

    def noted(self: Pairs, node: LateTerm, places: Places, visited: int) -> bool:
        answers.append(whole(self, node, places, visited))
        return answers[-1]

    monkeypatch.setattr(Pairs, "allow", noted)
    assert not [*differences(range(20), monkeypatch)]
    assert not wrong_by_name()
    assert not wrong(range(800, 830))
    assert False in answers


def test_what_takes_too_long_cuts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(late_search, "_TRIES", ())
    monkeypatch.setattr(late_search, "_EASY", 0)
    visited = []
    for share in (8, 0.1, 0):
        monkeypatch.setattr(pairs, "SHARE", share)
        answer, count = searched(ENDED, TOO_FEW, before=False)
        assert not answer
        visited.append(count)
    assert visited == sorted(visited)
    assert visited[0] < visited[-1]


def test_only_what_is_easier_is_asked_and_given_up_where_it_is_no_use() -> None:
    parts = observed_parts(ENDED, TOO_FEW)
    assert parts is not None
    views = Views()
    two = Pairs(views, normal(ENDED), parts, True, lambda: None)
    assert [one.boundaries * pairs.EASIER <= 36 for one in two.pairs] == [True]
    terms = views.late_terms
    anything = terms.opened(terms.plain(normal(ENDED)), ALL)
    for one in two.pairs:
        one.visited = pairs.PATIENCE + 1
    assert two.allow(anything, tuple(len(part.actions) for part in parts), 10**6)
    assert not two.pairs


def test_they_stop_when_the_search_has_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(late_search, "_TRIES", ())
    monkeypatch.setattr(late_search, "_EASY", 0)
    with pytest.raises(Exhausted, match=TOO_MANY_VERTICES):
        searched(ENDED, TOO_FEW, False, limits=Limits(vertices=3))
    inside: list[bool] = []
    whole = Pair._answer

    def noted(self: Pair, *question: object) -> object:
        inside.append(True)
        return whole(self, *question)  # type: ignore[arg-type]

    monkeypatch.setattr(Pair, "_answer", noted)
    with pytest.raises(Exhausted, match=STOPPED):
        searched(ENDED, TOO_FEW, False, limits=Limits(should_stop=lambda: bool(inside)))


# -- planted bugs ----------------------------------------------------------------------------


def test_components_that_cannot_have_begun_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Pair._free
    monkeypatch.setattr(Pair, "_free", lambda self, places, begun: whole(self, places, ALL))
    assert next(differences(range(60), monkeypatch), None)


def test_components_that_cannot_have_ended_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Pair._free

    def never(self: Pair, places: Places, begun: int) -> Mask:
        return whole(self, (-1,) * len(places), begun)

    monkeypatch.setattr(Pair, "_free", never)
    assert next(differences(range(60), monkeypatch), None)


def test_pasts_that_are_decided_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pair, "_free", lambda self, places, begun: NONE)
    assert next(differences(range(60), monkeypatch), None)
