"""How often actions stand in residuals, and that many logs are gone on with by it."""

from __future__ import annotations

import pytest

from choreomon.core.action import parse_action
from choreomon.interaction.lifelines import NONE
from choreomon.interaction.term import alt, loop_s, seq, strict
from choreomon.multitrace.multitrace import component, multi_trace
from choreomon.verify import beam_search, occurrences
from choreomon.verify.exact import ExactDecider
from choreomon.verify.lazy_automaton import LazyAutomaton, Move
from choreomon.verify.residual import COREG, STRICT, Residuals
from choreomon.verify.verdict import Verdict
from tests.verify.exact_cases import EXACT_MODES, ORDERED, wrong
from tests.verify.named_cases import wrong_by_name
from tests.verify.papers.questions import a

pytestmark = pytest.mark.usefixtures("by_search")

M, N, K = (parse_action(word) for word in ("l1!m", "l2?m", "l3!k"))
TERM = seq(alt(a("l1!m"), a("l2?m")), loop_s(strict(a("l1!m"), a("l2?m"))), a("l1!m"))


def test_every_place_counts_whatever_happened_before() -> None:
    residuals = Residuals()
    plain, undecided = residuals.plain(TERM), residuals.undecided_past(TERM)
    assert occurrences.occurrences([plain]) == {M: 3, N: 2}
    assert occurrences.occurrences([undecided]) == {M: 3, N: 2}
    assert occurrences.occurrences([plain, undecided])[M] == 6
    assert occurrences.occurrences([plain])[K] == 0


def test_both_operands_of_what_is_decided_in_part_count() -> None:
    residuals = Residuals()
    begun, rest = residuals.undecided_past(a("l1!m")), residuals.plain(TERM)
    both = (residuals.coreg(NONE, begun, rest), residuals.strict(begun, rest))
    assert {one.kind for one in both} == {COREG, STRICT}
    assert [occurrences.occurrences([one]) for one in both] == [{M: 4, N: 2}] * 2


def test_of_much_a_part_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Residuals().plain(TERM)
    monkeypatch.setattr(occurrences, "RESIDUALS", 2)
    assert occurrences.occurrences([plain] * 5)[M] == 6
    monkeypatch.setattr(occurrences, "SYMBOLS", 4)
    assert sum(occurrences.occurrences([plain]).values()) == 1


def test_the_order_of_components_matters_to_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beam_search, "MANY", 0)
    assert not wrong(range(725, 760))
    assert not wrong(range(760, 775), EXACT_MODES, ORDERED, 16)
    assert not wrong_by_name()


def test_the_law_notices_whoever_takes_the_first_one_in_that_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Planted bug: everything counts as persistent."""
    whole = LazyAutomaton.move

    def sure(*question: object) -> Move:
        return whole(*question)._replace(persistent=True)  # type: ignore[arg-type]

    monkeypatch.setattr(beam_search, "MANY", 0)
    monkeypatch.setattr(LazyAutomaton, "move", sure)
    assert wrong_by_name()


def asked_about(count: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many moves are looked at for one action of each of so many logs, of which the last one
    can go on in one way only, and the others in two."""
    moves: list[object] = []
    whole = LazyAutomaton.move

    def counted(*question: object) -> Move:
        moves.append(question)
        return whole(*question)  # type: ignore[arg-type]

    monkeypatch.setattr(LazyAutomaton, "move", counted)
    names = [f"l{number}" for number in range(count)]
    choices = [seq(*(a(f"{name}!m") for name in names[:-1])) for _ in range(2)]
    term = seq(alt(choices[0], seq(choices[1], a("l0!n"))), a(f"{names[-1]}!m"))
    logs = multi_trace(component((name,), (parse_action(f"{name}!m"),)) for name in names)
    assert ExactDecider(term, "accept").decide(logs).verdict is Verdict.PASS
    return len(moves)


def test_of_many_logs_one_is_looked_at_for_each_step(monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked_about(40, monkeypatch) < 120
    monkeypatch.setattr(beam_search, "MANY", 100)
    assert asked_about(40, monkeypatch) > 700
