"""The scenarios give what their twins must, on every seed and with every strategy."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from choreomon.cli import group
from choreomon.cli.simulation.run_logs import run_logs
from choreomon.core.run import Run
from choreomon.core.strategy_names import STRATEGIES
from choreomon.core.verdict import VerdictKind
from choreomon.documents.compilation import LoadedProperty
from choreomon.documents.observation import EVERYTHING
from choreomon.documents.read import Document, load_document
from choreomon.verify.verdict import Mode
from simulator.observation import WindowsName
from simulator.run import simulation

SCENARIOS = Path(__file__).parents[2] / "scenarios"
SEEDS = range(50)

NAMES = (
    "broker",
    "fig1",
    "fig2-self-loop",
    "fig3-pull-push",
    "fig4",
    "lock",
    "orders",
    "payment-saga",
    "replicas",
    "security-cameras",
    "smart-home",
    "tool-calls",
)

FOR_EACH = ("orders", "replicas", "tool-calls")
"""Those of properties for each instance; their runs are long."""

ONLY_PULL = (*FOR_EACH, "payment-saga")
"""Those that only `pull` can judge: of which an event is about an instance, or completes several
rules."""

VIOLATED_AT_SEED_0 = {
    "broker": [(19, "west", "no-news-from-west", {})],
    "fig1": [(9, "P3", (("q2", "q3"),), {})],
    "fig2-self-loop": [(15, "P1", (("q3", "q4"),), {})],
    "fig3-pull-push": [(6, "P2", (("q1", "q2"),), {})],
    "fig4": [(16, "P1", (("q2", "q4"),), {})],
    "lock": [(14, "store", "ann-writes-with-the-lock", {})],
    "orders": [
        (482, "warehouse", "no-parcel-after-a-refund", {"order": "17"}),
        (1429, "warehouse", "no-parcel-after-a-refund", {"order": "101"}),
        (2069, "warehouse", "no-parcel-after-a-refund", {"order": "158"}),
    ],
    "payment-saga": [(36, "shipping", "no-parcel-of-released-goods", {})],
    "replicas": [
        (238, "shop/2", "no-parcel-after-a-refund", {"order": "7"}),
        (580, "shop/1", "no-parcel-after-a-refund", {"order": "31"}),
        (814, "shop/2", "no-parcel-after-a-refund", {"order": "58"}),
    ],
    "security-cameras": [(15, "D", "no-way-from-b-to-d", {})],
    "smart-home": [(13, "car", "no-sign-of-an-empty-house", {})],
    "tool-calls": [
        (103, "helper", "what-was-read-stays-inside", {"conversation": "7"}),
        (128, "helper", "what-was-read-stays-inside", {"conversation": "9"}),
    ],
}
"""Event index, monitor, rule or else final transitions, and instance of each violation."""

ONLY_POSSIBLE = {
    ("fig1-violating", "push"),
    ("fig1-violating", "central"),
    ("fig3-pull-push-conforming", "push"),
    ("fig3-pull-push-conforming", "central"),
    ("lock-conforming", "push"),
    ("lock-conforming", "central"),
    ("smart-home-conforming", "central"),
}
"""Twins of which a strategy that does not ask can only say that they are possible
violations: what would decide is in no clock that it sees."""


def seeds_of(twin: str) -> range:
    return SEEDS[:8] if twin.startswith(FOR_EACH) else SEEDS


def path_of(twin: str) -> Path:
    return SCENARIOS / f"{twin}.yaml"


@cache
def loaded(twin: str) -> Document:
    return load_document(path_of(twin))


@cache
def run_of(twin: str, seed: int, strategy: Any = "pull") -> Run:
    return simulation(loaded(twin)).run(seed, strategy=strategy, keep_events=True)


def strategies_of(twin: str) -> tuple[str, ...]:
    return ("pull",) if twin.startswith(ONLY_PULL) else STRATEGIES


def paragraphs_of(twin: str) -> list[str]:
    """Those of the comment that a scenario starts with."""
    lines = path_of(twin).read_text(encoding="utf-8").splitlines()
    comment = [line.removeprefix("#").strip() for line in takewhile(is_comment, lines)]
    return " ".join(line or "\n" for line in comment).replace("\n ", "\n").split("\n")


def without_lines(document: Document) -> LoadedProperty | None:
    """The property of a document, wherever its rules stand."""
    loaded = document.property
    if loaded is None:
        return None
    rules = tuple(
        rule._replace(stated=rule.stated._replace(line=0)) for rule in loaded.automaton.rules
    )
    return replace(loaded, automaton=replace(loaded.automaton, rules=rules))


def is_comment(line: str) -> bool:
    return line.startswith("#")


def words_of(run: Run) -> set[VerdictKind]:
    """Of each rule the word that stands for it is the gravest; what is certain of one may be open
    of another."""
    words = {verdict.verdict for verdict in run.verdicts} - {"withdrawn"}
    return words - {"possibly-violated"} if "violated" in words else words


def broken_guarantees(run: Run) -> list[str]:
    """Formations that nothing was said about (G1), and false alarms (G2)."""
    assert run.formed is not None
    formed = {(each.event_index, each.rule) for each in run.formed}
    said = {(v.event_index, v.rule): v.verdict for v in run.verdicts}
    missed = [about for about in formed if said.get(about, "withdrawn") == "withdrawn"]
    false = [i for i, word in said.items() if word == "violated" and i not in formed]
    return [f"missed {i}" for i, _ in missed] + [f"false alarm at {i}" for i, _ in false]


def exit_code(*arguments: str) -> object:
    return group.main(arguments, standalone_mode=False)


ALL_TWINS = [f"{name}-{kind}" for name in NAMES for kind in ("violating", "conforming")]


WITH_INTERACTIONS = ("broker", "lock", "payment-saga")
"""Those that say what should happen, too, in a file that both twins name."""


def test_the_directory_holds_these_scenarios_and_nothing_else() -> None:
    there = {path.name for path in SCENARIOS.iterdir()} - {"__init__.py", "__pycache__"}
    assert sorted(there) == sorted(
        [*(f"{twin}.yaml" for twin in ALL_TWINS), *(f"{name}.hif" for name in WITH_INTERACTIONS)]
    )


@pytest.mark.parametrize("twin", ALL_TWINS)
class TestEveryScenario:
    def test_loads_without_warnings(self, twin: str) -> None:
        assert loaded(twin).warnings == ()

    def test_starts_with_what_must_never_happen_and_what_happens_here(self, twin: str) -> None:
        *forbidden, here = paragraphs_of(twin)
        assert re.search(r"\b(never|[Nn]obody|[Nn]either)\b", " ".join(forbidden))
        assert here.startswith("Here ")

    def test_has_state_names_that_say_nothing(self, twin: str) -> None:
        loaded_property = loaded(twin).property
        assert loaded_property is not None
        assert all(re.fullmatch("q[0-9]+", s) for s in loaded_property.automaton.states)

    def test_misses_nothing_and_raises_no_false_alarm(self, twin: str) -> None:
        """G1 and G2 for the last verdicts, against the reference semantics."""
        assert {
            (seed, strategy): broken
            for seed in seeds_of(twin)
            for strategy in strategies_of(twin)
            if (broken := broken_guarantees(run_of(twin, seed, strategy)))
        } == {}

    @pytest.mark.parametrize("strategy", STRATEGIES)
    def test_comes_to_the_same_on_every_seed(self, twin: str, strategy: str) -> None:
        if strategy not in strategies_of(twin):
            with pytest.raises(click.UsageError, match=r"instances|several rules"):
                exit_code("simulate", str(path_of(twin)), "--strategy", strategy)
            return
        if (twin, strategy) in ONLY_POSSIBLE:
            expected: set[VerdictKind] = {"possibly-violated"}
        elif twin.endswith("violating"):
            expected = {"violated"}
        else:
            expected = set()
        found = {seed: words_of(run_of(twin, seed, strategy)) for seed in seeds_of(twin)}
        assert [seed for seed, words in found.items() if words != expected] == []


@pytest.mark.parametrize("name", NAMES)
class TestTwins:
    def test_share_their_processes_handlers_and_property(self, name: str) -> None:
        one, other = loaded(f"{name}-violating"), loaded(f"{name}-conforming")
        assert one.processes == other.processes
        assert without_lines(one) == without_lines(other)
        assert one.interaction == other.interaction
        assert one.observation == other.observation
        assert one.application is not None
        assert other.application is not None
        assert [(p.handlers, p.variables.keys()) for p in one.application.processes] == [
            (p.handlers, p.variables.keys()) for p in other.application.processes
        ]

    def test_forbid_the_same_in_the_same_words(self, name: str) -> None:
        assert paragraphs_of(f"{name}-violating")[:-1] == paragraphs_of(f"{name}-conforming")[:-1]

    def test_differ_in_the_course_of_events(self, name: str) -> None:
        one, other = loaded(f"{name}-violating"), loaded(f"{name}-conforming")
        assert (one.application, one.network) != (other.application, other.network)

    def test_the_violating_one_is_violated_where_it_is_known_to_be(self, name: str) -> None:
        violated = [
            (v.event_index, v.monitor, v.rule.id if v.rule else v.transitions, dict(v.binding))
            for v in run_of(f"{name}-violating", 0).verdicts
            if v.verdict == "violated"
        ]
        assert violated == VIOLATED_AT_SEED_0[name]

    def test_exit_codes_tell_them_apart(
        self, name: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        runs = ("--runs", str(len(seeds_of(name))), "--json")
        assert exit_code("simulate", str(path_of(f"{name}-violating")), *runs) == 1
        assert exit_code("simulate", str(path_of(f"{name}-conforming")), *runs) == 0


def test_the_table_of_exit_codes_in_the_documentation_is_true() -> None:
    page = (SCENARIOS.parent / "docs" / "scenarios.md").read_text(encoding="utf-8")
    shown = re.findall(r"^\| ([\w-]+ing) \| (\d) \| (\d) \| (\d) \|$", page, re.MULTILINE)
    codes = {"violated": "1", "possibly-violated": "3"}
    expected = {
        twin: tuple(
            codes.get(next(iter(words_of(run_of(twin, 0, strategy))), ""), "0")
            if strategy in strategies_of(twin)
            else "2"
            for strategy in STRATEGIES
        )
        for twin in ALL_TWINS
    }
    assert {twin: (pull, push, central) for twin, pull, push, central in shown} == expected


class TestFigure3:
    """Where pushing cannot decide and pulling can."""

    def test_pulling_hears_that_the_first_message_was_not_sent_yet(self) -> None:
        assert run_of("fig3-pull-push-conforming", 0, "pull").verdicts == ()

    def test_pushing_cannot_exclude_that_it_was(self) -> None:
        (verdict,) = run_of("fig3-pull-push-conforming", 0, "push").verdicts
        assert verdict.verdict == "possibly-violated"
        assert [(r.relation, r.certain) for r in verdict.because] == [("concurrent", False)]

    def test_exit_codes_show_the_difference(self, capsys: pytest.CaptureFixture[str]) -> None:
        file = str(path_of("fig3-pull-push-conforming"))
        assert exit_code("simulate", file, "--strategy", "pull") == 0
        assert exit_code("simulate", file, "--strategy", "push") == 3


@pytest.mark.parametrize("name", WITH_INTERACTIONS)
class TestInteractions:
    """What should happen does in the conforming twin, and does not in the violating one."""

    @pytest.mark.parametrize("mode", ["accept", "multiprefix", "slice"])
    def test_whole_logs_tell_the_twins_apart(self, name: str, mode: Mode) -> None:
        for kind, expected in (("conforming", "Pass"), ("violating", "Fail")):
            assert {*verdicts_on_logs(f"{name}-{kind}", mode, "whole", SEEDS)} == {expected}

    @pytest.mark.parametrize(
        ("mode", "windows"), [("multiprefix", "multiprefix"), ("slice", "slice")]
    )
    def test_parts_of_conforming_logs_never_fail(
        self, name: str, mode: Mode, windows: WindowsName
    ) -> None:
        verdicts = verdicts_on_logs(f"{name}-conforming", mode, windows, range(20))
        assert {*verdicts} <= {"Pass", "WeakPass"}

    def test_of_violating_logs_some_parts_show_it_and_some_do_not(self, name: str) -> None:
        verdicts = verdicts_on_logs(f"{name}-violating", "multiprefix", "multiprefix", range(20))
        assert {*verdicts} == {"WeakPass", "Fail"}


def verdicts_on_logs(
    twin: str, mode: Mode, windows: WindowsName, seeds: Iterable[int]
) -> list[str]:
    document = loaded(twin)
    prepared = simulation(document)
    verifying = run_logs(document, mode, windows)
    assert verifying is not None
    verdicts = []
    for seed in seeds:
        logbook = verifying.logbook()
        prepared.run(seed, recorder=logbook.record)
        verdicts.append(verifying.verification(logbook, seed).verdict)
    return verdicts


def test_the_lock_s_logs_look_right_where_lock_and_store_share_no_clock() -> None:
    """Both writes are called the same; only a common clock shows that the lease was over."""
    document = replace(loaded("lock-violating"), observation=EVERYTHING)
    verifying = run_logs(document, "accept", "whole")
    assert verifying is not None
    logbook = verifying.logbook()
    simulation(document).run(0, recorder=logbook.record)
    assert verifying.verification(logbook, 0).verdict == "Pass"


def test_the_lock_withdraws_what_it_said_before_the_answers_came() -> None:
    verdicts = run_of("lock-conforming", 0).verdicts
    assert [(v.verdict, v.monitor, v.event_index) for v in verdicts] == [
        ("withdrawn", "store", 6),
        ("withdrawn", "store", 14),
    ]


def test_a_missed_violation_would_be_noticed() -> None:
    run = run_of("smart-home-violating", 0)
    assert broken_guarantees(replace(run, verdicts=())) == ["missed 13"]


def test_a_false_alarm_would_be_noticed() -> None:
    run = run_of("smart-home-violating", 0)
    (verdict,) = run.verdicts
    planted = replace(verdict, event_index=8)
    assert broken_guarantees(replace(run, verdicts=(verdict, planted))) == ["false alarm at 8"]


def test_together_they_use_the_whole_language() -> None:
    words = {
        "variables",
        "send",
        "assign",
        "if",
        "then",
        "else",
        "at",
        "delay",
        "links",
        "service",
        "monitoring",
        "in_order",
        "deadline",
        "max_events",
        "uniform",
        "exponential",
        "lognormal",
        "constant",
        "rules",
        "automaton",
        "when",
        "not",
        "and",
        "sequences",
        "steps",
        "cancel",
        "after",
        "back_to",
        "interaction",
        "observation",
        "logs",
        "with",
        "repeat",
        "for_each",
        "id",
        "description",
        "severity",
        "runbook_url",
        "tags",
        "never",
        "until",
    }
    documents = [yaml.safe_load(path_of(twin).read_text(encoding="utf-8")) for twin in ALL_TWINS]
    assert words - {key for document in documents for key in _keys(document)} == set()


def _keys(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        yield from value
        for inner in value.values():
            yield from _keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _keys(inner)
