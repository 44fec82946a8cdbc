"""Who is named where answers are missing: the silent, and those for whom they wait in turn. Along a
chain of inquiries the one that is asked may be alive, and wait for one that is dead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from choreomon.core.message import Message
from choreomon.core.verdict import POSSIBLY_VIOLATED, MonitorVerdict
from choreomon.monitor import wait_for_graph
from choreomon.monitor.effects import Declared
from tests.laws.faults import Faults, executions
from tests.laws.unreliable import Execution, Setting
from tests.properties.stated import automaton_of


class Named(NamedTuple):
    """Whom a word names, and who is dead."""

    silent: set[str]
    waiting_for: set[str]
    dead: set[str]
    verdict: MonitorVerdict


def early_words(run: Execution) -> Iterator[Named]:
    """What the living would say of whatever is undecided when all that can be said was said,
    many times over."""
    dead = {run.setting.processes[process] for process in run.dead}
    for process, host in enumerate(run.setting.hosts):
        if process in run.dead:
            continue
        state = run.states[process]
        for count in host.undecided(state):
            _, effects = host.expire(state, count)
            for effect in effects:
                assert isinstance(effect, Declared)
                assert effect.verdict is not None
                verdict = effect.verdict
                yield Named(set(verdict.silent), set(verdict.waiting_for), dead, verdict)


def misnamed(named: Named) -> bool:
    """The silent are all that have not answered, and nobody else. Of those for whom they wait the
    dead are named, and where no dead one is silent, there has to be one."""
    silent, waiting_for, dead, _ = named
    return not waiting_for <= dead - silent or not (silent | waiting_for) & dead


def test_whoever_waits_in_the_end_waits_for_one_that_is_dead_and_names_it() -> None:
    seen: Counter[str] = Counter()
    for number, faults in ((1500, Faults(dead=1)), (1000, Faults(dead=2, losses=3))):
        for run in executions(number, faults, count=(3, 5)):
            for named in early_words(run):
                assert not misnamed(named)
                seen["named"] += 1
                seen["through others"] += not named.silent & named.dead
                seen["through itself"] += not named.silent
    assert seen["named"] > 1000
    assert seen["through others"] > 50
    assert seen["through itself"] > 20


def test_that_law_notices_naming_those_who_were_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wait_for_graph, "roots", lambda names, behind: dict.fromkeys(names))
    runs = executions(300, Faults(dead=1), count=(3, 5))
    assert any(misnamed(named) for run in runs for named in early_words(run))


def test_that_law_notices_monitors_that_wait_for_themselves_and_do_not_say_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(wait_for_graph, "own_asked", lambda monitor, inspection: ((), 0))
    runs = executions(300, Faults(dead=1), count=(3, 5))
    assert any(misnamed(named) for run in runs for named in early_words(run))


# One chain, written down.

NAMES = ("P1", "P2", "P3", "P4")
A, B = Message("P1", "a", "P2"), Message("P2", "b", "P3")
C, D = Message("P3", "c", "P4"), Message("P4", "d", "P1")
CHAIN = automaton_of("q0", "q4", ("q0", A, "q1"), ("q1", B, "q2"), ("q2", C, "q3"), ("q3", D, "q4"))


def chain(dead: int) -> Execution:
    """a b c d, each after the message before has arrived."""
    run = Execution(Setting(CHAIN, NAMES), dead=[dead])
    for message in (A, B, C):
        run.sends(message)
        run.handles(message)
    run.sends(D)
    return run


def word(run: Execution) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    _, (effect,) = run.setting.hosts[3].expire(run.states[3], 1)
    assert isinstance(effect, Declared)
    assert effect.verdict is not None
    return effect.verdict.kind, effect.verdict.silent, effect.verdict.waiting_for


def test_at_first_only_the_one_that_was_asked_is_known_to_be_silent() -> None:
    assert word(chain(dead=0)) == (POSSIBLY_VIOLATED, ("P3",), ())


def test_asked_again_each_tells_for_whom_it_waits() -> None:
    """P4 asks P3, P3 asks P2, P2 asks P1, which is dead. One more link is known with each round,
    where those that were asked first answer first."""
    run = chain(dead=0)
    found = []
    for _ in range(3):
        run.asks_everybody_again()
        found.append(word(run)[2])
    assert found == [("P2",), ("P1",), ("P1",)]
    assert word(run) == (POSSIBLY_VIOLATED, ("P3",), ("P1",))


def test_an_answer_ends_what_was_told_of_waiting() -> None:
    run = chain(dead=0)
    run.settles()
    run.dead = frozenset()
    run.settles()
    assert run.words() == {3: "violated"}
    (_, _, said) = run.said()[-1]
    assert said.verdict is not None
    assert (said.verdict.silent, said.verdict.waiting_for) == ((), ())


def test_who_is_given_up_is_named_with_whom_it_waits_for() -> None:
    run = chain(dead=0)
    run.settles()
    run.gives_up(3, 1)
    (_, _, said) = run.said()[-1]
    assert said.verdict is not None
    assert not said.provisional
    assert (said.verdict.silent, said.verdict.waiting_for) == (("P3",), ("P1",))


def test_a_notice_that_nobody_waits_for_any_more_changes_nothing_but_the_clock() -> None:
    told: list[Any] = []
    run = chain(dead=0)
    run.settles()
    run.gives_up(3, 1)
    run.asks_everybody_again()
    before = run.states[3]
    for step in run.steps:
        if step.process == 3 and type(step.given).__name__ == "Waiting":
            state, effects = run.setting.hosts[3].receive(before, step.given)  # type: ignore[arg-type]
            assert (state.monitor, effects) == (before.monitor, [])
            told.append(step.given)
    assert told
