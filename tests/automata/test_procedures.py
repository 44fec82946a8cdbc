"""Every procedure about logs and automata, the product of all, and accepted words cut to pieces.

`python -m benchmarks.procedures_brute_force` asks more questions of the same kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import chain, permutations

import pytest

from choreomon.automata import local_view, reduced, two_logs
from choreomon.automata.automaton import Automaton, automaton
from choreomon.automata.centralized import centralized
from choreomon.automata.commutation import Commutation
from choreomon.automata.logs import WHOLE, Decided, Log, Missing
from choreomon.automata.reduced import Reduced
from choreomon.automata.reference import explains
from choreomon.automata.semi_centralized import LocalVerifiers
from choreomon.automata.two_logs import TwoLogs
from choreomon.automata.words import words
from choreomon.core.action import Action, emission
from choreomon.core.errors import BudgetExceeded
from tests.automata.asked import PREFIXES, QUESTIONS, SLICES, cases, longer_cases, wide_cases
from tests.automata.drawn import LETTERS

A, BX, BM, CY, CX = LETTERS

DecideAll = Callable[[Automaton, list[Log], Missing], bool]
"""Whether logs are explained; for one automaton after the other."""


def literally(one: Automaton, logs: list[Log], missing: Missing) -> bool:
    return centralized(one, logs, missing).explained


class Kept:
    """A procedure that keeps what it finds out of an automaton."""

    def __init__(self, kind: Callable[[Automaton], Reduced | LocalVerifiers]) -> None:
        self._kind = kind
        self._one: Automaton | None = None

    def __call__(self, one: Automaton, logs: list[Log], missing: Missing) -> bool:
        if self._one is not one:
            self._one, self._made = one, self._kind(one)
        found = self._made.decide(logs, missing)
        return found.explained if isinstance(found, Decided) else found.error is None


def procedures() -> dict[str, DecideAll]:
    return {
        "centralized": literally,
        "semi-centralized": Kept(LocalVerifiers),
        "reduced": Kept(Reduced),
        "reduced, every order": Kept(partial(Reduced, reorders=False)),
    }


def disagreements(
    decided: Iterable[DecideAll], number: int, *, first: int = 0
) -> tuple[int, dict[Missing, list[int]]]:
    """How often decisions are not that of the product of all; and of each question how often that
    says no and yes."""
    wrong = 0
    met = {missing: [0, 0] for missing in QUESTIONS}
    asked = cases(number, first), longer_cases(number // 2, first), wide_cases(number // 4, first)
    for one, logs in chain(*asked):
        for missing in QUESTIONS:
            truth = explains(one, logs, missing)
            wrong += sum(decide(one, logs, missing) is not truth for decide in decided)
            met[missing][truth] += 1
    return wrong, met


def test_searches_that_are_lost_from_the_first_cut_on_agree(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reduced, "LOST", -1_000)
    lost = [Kept(Reduced), Kept(partial(Reduced, reorders=False))]
    assert disagreements(lost, 200)[0] == 0
    monkeypatch.setattr(two_logs, "HELD", 20)  # some pairs have no bounds
    assert disagreements(lost, 100)[0] == 0


def test_bounds_by_two_logs_that_drop_too_much_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As if nothing of other logs could happen in between."""
    whole = TwoLogs.bounds
    monkeypatch.setattr(reduced, "LOST", -1_000)
    monkeypatch.setattr(
        TwoLogs,
        "bounds",
        lambda self, one, other, others, *rest: whole(self, one, other, others[1:], *rest),
    )
    assert disagreements([Kept(Reduced)], 200)[0] > 0


def test_all_procedures_and_the_product_agree() -> None:
    wrong, met = disagreements(procedures().values(), 1_000)
    assert wrong == 0
    assert all(min(counts) > 1_000 for counts in met.values()), met


# ---------------------------------------------------------------- planted bugs


class _Eager(Commutation):
    """Everything may change places."""

    def conflicts(self, letter: int) -> dict[int, int]:
        return {}


class _Turned(Commutation):
    """The first letter is moved behind the other one, not the other one in front of it."""

    def _conflict(self, first: int, letter: int) -> int:
        return super()._conflict(letter, first)


class _Anywhere(Commutation):
    """Letters may change places everywhere if they may do so anywhere."""

    def _conflict(self, first: int, letter: int) -> int:
        found = super()._conflict(first, letter)
        return found if found == self.automaton.sources[first] else 0


@pytest.mark.parametrize("planted", [_Eager, _Turned, _Anywhere])
def test_persistent_sets_that_are_too_eager_are_noticed(
    planted: type[Commutation], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reduced, "Commutation", planted)
    assert any(disagreements([Kept(Reduced)], 8, first=n)[0] for n in range(0, 400, 8))


class _OneStep(reduced._Search):
    """Looks at the next letter of the others only."""

    def _last_conflict(self, one: int, place: int, other: int) -> int:
        last = super()._last_conflict(one, place, other)
        return last if last < 1 else -1


class _NothingFree(reduced._Location):
    """Free letters are read, and not waited for."""

    def next(self, place: int) -> tuple[int, ...]:
        return self.log[place : place + 1]  # type: ignore[return-value]

    @property
    def places(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for place, letter in enumerate(self.log):
            found.setdefault(letter, []).append(place)
        return found


class _OffByOne(reduced._Location):
    """What is allowed before a letter is taken for what is allowed after it."""

    def __init__(
        self, log: list[int], allowed: list[int], own: tuple[int, ...], missing: Missing
    ) -> None:
        super().__init__(log, [allowed[0], *allowed[:-1]], own, missing)


@pytest.mark.parametrize(
    ("name", "planted"),
    [("_Search", _OneStep), ("_Location", _NothingFree), ("_Location", _OffByOne)],
)
def test_wrong_searches_are_noticed(
    name: str, planted: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reduced, name, planted)
    assert any(disagreements([Kept(Reduced)], 8, first=n)[0] for n in range(0, 400, 8))


class _Forgetful(local_view.LocalView):
    """Does what others do before a letter of its own, not after it."""

    def step(self, subset: int, letter: int) -> int | None:
        return self._number(self.automaton.after(self.subsets[subset], letter))


class _Narrow(local_view.LocalView):
    """Its areas lack what others do after its letters."""

    def step_area(self, subset: int, letter: int) -> int:
        target = self.step(subset, letter)
        assert target is not None
        return super().step_area(subset, letter) & ~self.other_edges(target)


@pytest.mark.parametrize("planted", [_Forgetful, _Narrow])
def test_wrong_verifiers_are_noticed(
    planted: type[local_view.LocalView], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("choreomon.automata.semi_centralized.LocalView", planted)
    assert any(disagreements([Kept(LocalVerifiers)], 8, first=n)[0] for n in range(0, 200, 8))


def forgets_silent_lifelines(one: Automaton, logs: list[Log], missing: Missing) -> bool:
    told = {name for clock, _ in logs for name in clock}
    return literally(one, [*logs, (sorted(set("abcd") - told), ())], missing)


def takes_slices_for_prefixes(one: Automaton, logs: list[Log], missing: Missing) -> bool:
    return literally(one, logs, missing._replace(before=False))


def orders_logs(one: Automaton, logs: list[Log], missing: Missing) -> bool:
    together = sorted({name for clock, _ in logs for name in clock})
    return literally(one, [(together, [act for _, log in logs for act in log])], missing)


@pytest.mark.parametrize(
    "planted", [forgets_silent_lifelines, takes_slices_for_prefixes, orders_logs]
)
def test_wrong_questions_are_noticed(planted: DecideAll) -> None:
    assert any(disagreements([planted], 8, first=n)[0] for n in range(0, 100, 8))


def pieces(word: tuple[Action, ...], clocks: list[tuple[str, ...]]) -> list[list[Action]]:
    return [[action for action in word if action.lifeline in clock] for clock in clocks]


def fits(log: list[Action], whole: list[Action], missing: Missing) -> bool:
    starts = range(len(whole) + 1) if missing.before else (0,)
    ends = range(len(whole) + 1) if missing.after else (len(whole),)
    return any(log == whole[start:end] for start in starts for end in ends if start <= end)


def test_what_accepted_words_explain_is_explained() -> None:
    """By all words of at most six letters: what they explain is explained; what is explained and
    by none of these needs longer ones, which automata without cycles do not have."""
    found = 0
    for one, logs in cases(400):
        acyclic = all(edge.source < edge.target for edge in one.edges)
        clocks = [tuple(clock) for clock, _ in logs]
        told = {name for clock in clocks for name in clock}
        for missing in QUESTIONS:
            truth = any(
                all(
                    fits(list(log), whole, missing)
                    for (_, log), whole in zip(logs, pieces(word, clocks), strict=True)
                )
                for word in words(one, 6)
                if all(action.lifeline in told for action in word)
            )
            mine = explains(one, logs, missing)
            if truth or acyclic:
                assert mine is truth
                found += truth
    assert found > 500


# ---------------------------------------------------------------- by hand

DIAMOND = automaton(
    [(0, A, 1), (1, BX, 3), (0, BX, 2), (2, A, 3), (3, CY, 4)], initial=[0], final=[4]
)
LOGS: list[Log] = [(("a",), [A]), (("b",), [BX]), (("c",), [CY])]


def test_visits_are_counted() -> None:
    # Nothing; a; b; both, by two ways; all three.
    assert centralized(DIAMOND, [*LOGS[:2], (("c",), [CX])]) == Decided(False, 0)
    assert centralized(DIAMOND, LOGS[:2]) == Decided(False, 4)
    assert LocalVerifiers(DIAMOND).decide(LOGS).states == 5
    # a waits for nobody, so it goes first; then b, then c.
    assert Reduced(DIAMOND).decide(LOGS) == Decided(True, 4)
    assert Reduced(DIAMOND).decide(LOGS[:2], WHOLE) == Decided(False, 0)  # c is wrong by itself
    assert Reduced(DIAMOND).decide(LOGS[:2], PREFIXES) == Decided(False, 0)
    assert Reduced(DIAMOND).decide([*LOGS[:2], (("c",), [])], PREFIXES) == Decided(True, 3)


def test_logs_of_one_location_are_walked() -> None:
    # A location that has all letters: nothing waits, and lifelines without letters may be free.
    log: Log = (("a", "b", "c"), [A, BX, CY])
    for free in ((), ("d",)):
        assert Reduced(DIAMOND).decide([log], WHOLE, free) == Decided(True, 3)
        assert Reduced(DIAMOND).decide([(log[0], log[1][:2])], WHOLE, free) == Decided(False, 2)


def test_cuts_that_another_location_does_not_allow_are_not_visited() -> None:
    # The order matters, so neither goes on alone. After a, b would have to say it twice.
    edges = [(0, BX, 1), (1, A, 4), (0, A, 2), (2, BX, 3), (3, BX, 4)]
    one = automaton(edges, initial=[0], final=[4])
    logs: list[Log] = [(("b",), [BX]), (("a",), [A])]
    # Nothing; b; both. Algorithm 1 comes to a alone, too.
    assert Reduced(one).decide(logs) == Decided(True, 3)
    assert centralized(one, logs) == Decided(True, 4)


def test_a_set_of_locations_is_not_taken_before_all_are_in_it_that_have_to_be() -> None:
    # b is first: c may come before it and not after it, and a has to wait for c.
    edges = [(0, BX, 1), (1, CY, 2), (2, A, 3), (0, CY, 0)]
    one = automaton(edges, initial=[0], final=[3])
    for logs in permutations(LOGS):
        assert Reduced(one).decide(logs).explained


def test_what_letters_lead_to_is_forgotten_where_there_is_too_much(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    procedure = Reduced(DIAMOND)
    procedure.decide(LOGS)
    monkeypatch.setattr(reduced, "KEPT", 3)
    procedure.decide(LOGS[:2])  # which need no step
    assert len(procedure._after) == 3
    monkeypatch.setattr(reduced, "KEPT", 2)
    procedure.decide(LOGS[:2])
    assert not procedure._after


def test_what_is_no_letter_is_explained_by_nothing() -> None:
    logs: list[Log] = [(("a",), [A, emission("a", "never")])]
    nothing = automaton([], initial=[], final=[0])
    silent = automaton([], initial=[0], final=[0])
    for decide in procedures().values():
        assert not decide(DIAMOND, logs, SLICES)
        assert not decide(nothing, [], WHOLE)
        assert decide(silent, [(("z",), [])], WHOLE)
        assert decide(silent, [], WHOLE)


def test_the_limit_is_on_states() -> None:
    assert centralized(DIAMOND, LOGS, limit=5).explained
    for decide in (
        centralized,
        lambda *asked, **how: LocalVerifiers(DIAMOND).decide(*asked[1:], **how),
    ):
        with pytest.raises(BudgetExceeded, match="more than 3 states"):
            decide(DIAMOND, LOGS, limit=3)


def test_every_visit_asks_for_the_budget() -> None:
    asked: list[int] = []

    def check() -> None:
        asked.append(1)
        if len(asked) == 3:
            raise TimeoutError

    for decide in (
        lambda: centralized(DIAMOND, LOGS, check_budget=check),
        lambda: Reduced(DIAMOND, check_budget=check).decide(LOGS),
        lambda: LocalVerifiers(DIAMOND, check).decide(LOGS),
    ):
        asked.clear()
        with pytest.raises(TimeoutError):
            decide()
        assert len(asked) == 3


def test_verifiers_can_be_prepared() -> None:
    verifiers = LocalVerifiers(DIAMOND)
    verifiers.prepare([("a",), ("b",), ("c",)])
    assert [len(verifiers.at((name,)).subsets) for name in "abc"] == [3, 3, 3]
    with pytest.raises(BudgetExceeded, match="a local verifier has more than 1 states"):
        LocalVerifiers(DIAMOND).prepare([("a",)], limit=1)


def test_what_is_forgotten_is_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_view, "KEPT", 1)
    monkeypatch.setattr(reduced, "KEPT", 1)
    monkeypatch.setattr("choreomon.automata.semi_centralized.MOST_LOCATIONS", 1)
    assert disagreements([Kept(Reduced), Kept(LocalVerifiers)], 50)[0] == 0
