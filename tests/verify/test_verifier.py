"""Who decides what, and why a decision ends."""

from __future__ import annotations

from random import Random
from typing import get_args

import pytest

from choreomon.interaction.term import alt, loop_p, loop_s, loop_w, par, seq, strict
from choreomon.verify import verifier as module
from choreomon.verify.automaton_verifier import AUTOMATON_MODES, AutomatonVerifier
from choreomon.verify.exact import ExactDecider
from choreomon.verify.papers.engine import Searcher, search
from choreomon.verify.papers.heuristics import Filters
from choreomon.verify.papers.options import Options, Reason
from choreomon.verify.papers.portfolio import Portfolio
from choreomon.verify.short_logs import ShortDecider
from choreomon.verify.synthesis import TooLarge
from choreomon.verify.verdict import MODES, Answer, Mode, Verdict
from choreomon.verify.verifier import BEHIND, Verifier
from tests.verify.papers.questions import a, logs, questions


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the deciders that were asked."""
    found: list[str] = []

    def watch(owner: type, method: str, name: str) -> None:
        original = getattr(owner, method)

        def watched(*arguments: object, **options: object) -> object:
            found.append(name)
            return original(*arguments, **options)

        monkeypatch.setattr(owner, method, watched)

    watch(ShortDecider, "decide", "short")
    watch(ExactDecider, "decide", "exact")
    watch(AutomatonVerifier, "decide", "automaton")
    watch(Searcher, "search", "search")
    watch(Portfolio, "search", "portfolio")
    return found


WEAK = loop_p(seq(a("l1!m"), a("l2?m")))
STRICT = loop_s(strict(a("l1!m"), a("l2?m")))
CROSSED = par(strict(a("l1!m"), a("l2?m")), strict(a("l2!n"), a("l1?n")))
ENDLESS = loop_w(strict(a("l1!m"), a("l2?m")))
APART = logs("l1: l1!m; l2: l2?m")
TOGETHER = logs("l1,l2: l1!m l2?m")


@pytest.mark.parametrize("seen", [APART, TOGETHER])
@pytest.mark.parametrize("mode", MODES)
def test_of_modes_that_a_search_defines_it_is_asked_what_exact_modes_leave_open(
    called: list[str], mode: Mode, seen: module.MultiTrace
) -> None:
    answer = Verifier(CROSSED, mode).decide(seen)
    assert answer.verdict is (Verdict.FAIL if mode == "accept" else Verdict.WEAK_PASS)
    assert called == ["short", "exact", *(["search"] if mode == "simulate" else [])]


def _agree_where_searches_define(number: int) -> bool:
    """Whether verdicts are those of the searches of whole graphs; every one is met."""
    met = set()
    for question in questions(Random(9), number):
        for mode in BEHIND:
            expected = search(question.interaction, question.multitrace, mode, Options())
            found = Verifier(question.interaction, mode).decide(question.multitrace)
            if found[:2] != expected[:2]:
                return False
            met.add((mode, found.verdict))
    assert len(met) == 7, met
    return True


def test_modes_that_a_search_defines_have_its_verdicts_and_reasons() -> None:
    assert _agree_where_searches_define(150)


@pytest.mark.parametrize(("mode", "behind"), [("test", "slice"), ("simulate", "accept")])
def test_the_law_notices_another_mode_behind(
    monkeypatch: pytest.MonkeyPatch, mode: Mode, behind: Mode
) -> None:
    monkeypatch.setitem(BEHIND, mode, (behind, *BEHIND[mode][1:]))
    assert not _agree_where_searches_define(150)


@pytest.mark.parametrize("mode", MODES)
def test_the_quickest_is_a_small_automaton_where_there_is_one(
    called: list[str], mode: Mode
) -> None:
    Verifier(CROSSED, mode, procedure="auto").decide(APART)
    Verifier(ENDLESS, mode, procedure="auto").decide(APART)
    if mode == "simulate":
        assert called == ["short", "exact", "search", "short"]  # the second one is accepted
    else:
        others = ["exact"] if mode in ("prefix", "test") else []
        assert called == ["short", "exact", "short", *others]
        called.clear()
        Verifier(CROSSED, mode, procedure="auto").decide(TOGETHER)
        Verifier(ENDLESS, mode, procedure="auto").decide(TOGETHER)
        small = "exact" if mode in ("prefix", "test") else "automaton"
        assert called == ["short", small, "short", "exact"]


def test_very_long_logs_are_searched(called: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONG", 3)
    verifier = Verifier(STRICT, "accept", procedure="auto")
    assert verifier.decide(logs("l1,l2: l1!m l2?m; l3: ")).method == "reduced"
    answer = verifier.decide(logs("l1,l2: l1!m l2?m l1!m l2?m; l3: "))
    assert (answer.verdict, answer.method) == (Verdict.PASS, "exact")
    together = verifier.decide(logs("l1,l2: l1!m l2?m l1!m l2?m"))
    assert (together.verdict, together.method) == (Verdict.PASS, "reduced")
    forced = Verifier(STRICT, "accept", procedure="centralized")
    assert forced.decide(logs("l1: l1!m l1!m; l2: l2?m l2?m")).method == "centralized"
    assert [one for one in called if one != "short"] == [
        *("automaton", "exact", "automaton", "automaton")
    ]


def test_procedures_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="automata answer accept, multiprefix, slice"):
        Verifier(STRICT, "prefix", procedure="reduced")
    with pytest.raises(ValueError, match="which are not searched by options"):
        Verifier(STRICT, "accept", procedure="reduced", options=Options())
    with pytest.raises(TooLarge):
        Verifier(ENDLESS, "accept", procedure="reduced")


def test_silent_lifelines_may_go_on_where_logs_may_cease() -> None:
    sent = logs("l1: l1!m")
    for term in (STRICT, ENDLESS):
        for mode, verdict in (("multiprefix", Verdict.WEAK_PASS), ("accept", Verdict.FAIL)):
            for procedure in (None, "auto"):
                asked = Verifier(term, mode, procedure=procedure)  # type: ignore[arg-type]
                assert asked.decide(sent).verdict is verdict


def test_whoever_says_how_to_search_gets_that_search(called: list[str]) -> None:
    Verifier(WEAK, "accept", options=Options(strategy="bfs")).decide(APART)
    Verifier(WEAK, "multiprefix", options=Options(method="removal")).decide(APART)
    Verifier(WEAK, "multiprefix", options=Options(method="search")).decide(APART)
    Verifier(WEAK, "accept", portfolio=True).decide(APART)
    assert called == ["search", "search", "search", "portfolio"]


def test_the_forced_removal_of_the_paper_may_be_wrong_and_the_default_is_not() -> None:
    term = par(
        seq(strict(a("l1!m1"), a("l3!m1")), strict(a("l3!m1"), a("l2!m1"))),
        strict(a("l2!m2"), a("l1!m2")),
    )
    seen = logs("l1: l1!m2 l1!m1; l2: l2!m1 l2!m2; l3:")
    assert Verifier(term, "multiprefix").decide(seen).verdict is Verdict.FAIL
    forced = Verifier(term, "multiprefix", options=Options(method="removal")).decide(seen)
    assert forced.verdict is Verdict.WEAK_PASS


def test_all_modes_answer_as_brute_force_does() -> None:
    for question in questions(Random(31), 40):
        for mode in MODES:
            if mode != "simulate":
                answer = Verifier(question.interaction, mode).decide(question.multitrace)
                expected = question.oracle.judge(question.multitrace, mode)
                assert answer.verdict is expected, (question[:2], mode)


def test_by_automata_all_modes_answer_as_brute_force_does() -> None:
    for question in questions(Random(32), 40):
        for mode in AUTOMATON_MODES:
            verifier = Verifier(question.interaction, mode, procedure="auto")
            expected = question.oracle.judge(question.multitrace, mode)
            assert verifier.decide(question.multitrace).verdict is expected, (question[:2], mode)


@pytest.mark.parametrize("reason", ["TimedOut", "OutOfMemory"])
@pytest.mark.parametrize("mode", MODES)
def test_every_decision_can_be_stopped_and_says_why(mode: Mode, reason: Reason) -> None:
    stopping = True
    verifier = Verifier(
        alt(loop_p(seq(a("l1!m"), a("l2?m"))), CROSSED),
        mode,
        should_stop=lambda: reason if stopping else None,
    )
    seen = logs("l1: l1!m l1!m l1!m; l2: l2?m l2?m l2?m")
    assert verifier.decide(seen).verdict.inconclusive
    assert verifier.decide(seen).reason == reason
    stopping = False
    assert verifier.decide(seen).verdict is Verdict.PASS
    assert verifier.decide(seen).reason == ""


def test_reasons_are_those_of_the_search() -> None:
    assert {"TimedOut", "OutOfMemory"} <= set(get_args(Reason))


def test_options_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="for the mode multiprefix only"):
        Verifier(WEAK, "accept", options=Options(method="removal"))
    with pytest.raises(ValueError, match="test is defined by"):
        Verifier(WEAK, "test", options=Options(filters=Filters(max_depth=3)))
    with pytest.raises(ValueError, match="discrete partition"):
        Verifier(WEAK, "multiprefix", options=Options(method="removal")).decide(TOGETHER)


def test_filters_leave_inconclusive_what_they_cut() -> None:
    options = Options(filters=Filters(max_node_number=1), local=None)
    answer = Verifier(STRICT, "accept", options=options).decide(APART)
    assert answer[:2] == Answer(Verdict.INCONC, "FilteredNodes")[:2]


def test_a_component_that_the_interaction_does_not_have_lacks_nothing() -> None:
    strange = logs("x: x!n; y: ")
    assert Verifier(a("x!m"), "test").decide(strange)[:2] == (Verdict.FAIL, "")
    answer = Verifier(seq(a("x!m"), a("y?m")), "test").decide(strange)
    assert answer[:2] == (Verdict.INCONC, "LackObs")
