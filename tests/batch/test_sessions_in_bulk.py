"""Sessions in bulk are judged as each of them alone is, however they are written down."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from choreomon.automata.automaton import Automaton, automaton
from choreomon.batch.sessions import gathering, judging, logs
from choreomon.batch.sessions import judge as judge_module
from choreomon.batch.sessions.chunk import Chunk
from choreomon.batch.sessions.gathering import divided, joined, put_in_order, stand_together
from choreomon.batch.sessions.judging import Judging, Sessions
from choreomon.batch.sessions.question import SessionsQuestion
from choreomon.core.action import Action, emission
from choreomon.interaction_files.offline_json import write_interaction_json
from choreomon.multitrace.multitrace import Component, MultiTrace, multi_trace
from choreomon.sessions import blocks
from choreomon.sessions.blocks import Block, block_of
from choreomon.verify.automaton_verifier import AUTOMATON_MODES, AutomatonMode, AutomatonVerifier
from choreomon.verify.synthesis import TooLarge, synthesize
from choreomon.verify.verifier import Verifier
from tests.automata.asked import drawn_logs
from tests.automata.drawn import LETTERS, drawn_automaton
from tests.verify.exact_cases import questions

Row = tuple[str, str, int | None]
"""Session, action, clock."""


def written(path: Path, rows: list[Row]) -> Path:
    """Rows as a file, Parquet or JSON lines by its name; without clocks no such field."""
    clocked = any(clock is not None for _, _, clock in rows)
    if path.suffix == ".parquet":
        columns: dict[str, Any] = {
            "session": pa.array([name for name, _, _ in rows], pa.string()),
            "action": pa.array([action for _, action, _ in rows], pa.string()),
        }
        if clocked:
            columns["clock"] = pa.array([clock for _, _, clock in rows], pa.int64())
        pq.write_table(pa.table(columns), path)
        return path
    with path.open("w", encoding="utf-8") as stream:
        for name, action, clock in rows:
            told = {"session": name, "action": action} | ({"clock": clock} if clocked else {})
            stream.write(json.dumps(told) + "\n")
    return path


def rows_of(name: str, logs: MultiTrace, *, clocked: bool) -> list[Row]:
    return [
        (name, str(action), clock if clocked else None)
        for clock, part in enumerate(logs.components)
        for action in part.actions
    ]


def mixed(rows: list[Row], rng: Random) -> list[Row]:
    """In random order; the rows of one session in theirs."""
    own: dict[str, list[Row]] = {}
    for row in reversed(rows):
        own.setdefault(row[0], []).append(row)
    order = [name for name, _, _ in rows]
    rng.shuffle(order)
    return [own[name].pop() for name in order]


def verdicts(
    question: SessionsQuestion, *files: Path, jobs: int = 1, skip: int = 0, **options: Any
) -> dict[str, str]:
    """By session its verdict, or what is wrong with it; in the order in which they come."""
    found: dict[str, str] = {}
    sessions = Sessions(tuple(map(str, files)), **options)
    for judged in Judging(question, sessions).judged(jobs=jobs, skip=skip):
        for name, answer in zip(judged.names, judged.answers, strict=True):
            assert name not in found
            found[name] = answer if isinstance(answer, str) else answer.verdict.value
    return found


def as_recorded(logs: MultiTrace, lifelines: tuple[str, ...], *, clocked: bool) -> MultiTrace:
    """What rows say of a multi-trace: without clocks each lifeline has a log of its own, with them
    only those that have actions share one."""
    parts: dict[tuple[int, str], list[Action]] = {}
    for clock, part in enumerate(logs.components):
        for action in part.actions:
            key = (clock, "") if clocked else (0, action.lifeline)
            parts.setdefault(key, []).append(action)
    return multi_trace(
        [
            Component(tuple(sorted({action.lifeline for action in told})), tuple(told))
            for told in parts.values()
        ],
        lifelines,
    )


def disagreements(
    tmp_path: Path, seeds: range, mode: AutomatonMode, *, clocked: bool
) -> tuple[int, Counter[str]]:
    """Of random sessions of random automata: how many verdicts are not those of the verifier for
    one, and which verdicts these are."""
    wrong = 0
    met: Counter[str] = Counter()
    for seed in seeds:
        rng = Random(seed)
        one = drawn_automaton(rng)
        alone = AutomatonVerifier(one, mode)
        rows: list[Row] = []
        right: dict[str, str] = {}
        for number in range(25):
            drawn = MultiTrace(tuple(Component(*log) for log in drawn_logs(rng, one)))
            if drawn.length:
                name = f"s{number}"
                told = as_recorded(drawn, one.lifelines, clocked=clocked)
                right[name] = alone.decide(told).verdict.value
                rows += rows_of(name, drawn, clocked=clocked)
        question = SessionsQuestion(automaton=one, interaction=None, mode=mode)
        name = "s.jsonl" if seed % 2 else "s.parquet"
        found = verdicts(question, written(tmp_path / name, rows))
        assert [*found] == [*right]
        wrong += sum(found[name] != verdict for name, verdict in right.items())
        met.update(right.values())
    return wrong, met


@pytest.mark.parametrize("mode", AUTOMATON_MODES)
@pytest.mark.parametrize("clocked", [False, True])
def test_sessions_are_judged_as_each_alone(
    tmp_path: Path, mode: AutomatonMode, clocked: bool
) -> None:
    wrong, met = disagreements(tmp_path, range(150), mode, clocked=clocked)
    assert wrong == 0
    assert min(met["Pass"], met["Fail"]) > 200
    assert (met["WeakPass"] > 100) is (mode != "accept")


def first_actions_lost(made: Callable[..., Any]) -> Callable[..., Any]:
    def arranged(*arguments: Any) -> Any:
        for one in made(*arguments):
            yield one._replace(letters=np.roll(one.letters, 1))

    return arranged


PLANTED: list[tuple[Any, str, Any, AutomatonMode, bool]] = [
    (judge_module, "arranged", first_actions_lost(judge_module.arranged), "accept", False),
    (judge_module, "MISSING", dict.fromkeys(AUTOMATON_MODES, judge_module.WHOLE), "slice", False),
]


@pytest.mark.parametrize(("where", "name", "bug", "mode", "clocked"), PLANTED)
def test_a_planted_bug_is_noticed(
    tmp_path: Path,
    where: Any,
    name: str,
    bug: Any,
    mode: AutomatonMode,
    clocked: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(where, name, bug)
    assert disagreements(tmp_path, range(40), mode, clocked=clocked)[0] > 0


@pytest.mark.parametrize("large", [False, True])
def test_sessions_of_interactions_are_judged_as_brute_force_says(
    tmp_path: Path, large: bool
) -> None:
    """Also where there is no automaton, or there seems to be none."""
    met: Counter[str] = Counter()
    for seed in range(250):
        asked = [*questions(seed, AUTOMATON_MODES)]
        for mode in AUTOMATON_MODES:
            mine = [one for one in asked if one.mode == mode and one.multitrace.length]
            if not mine:
                continue
            interaction = mine[0].interaction
            one = None
            if not large:
                try:
                    one = synthesize(interaction, max_states=300, max_symbols=80).automaton
                except TooLarge:
                    continue
            text = write_interaction_json(interaction)
            question = SessionsQuestion(automaton=one, interaction=text, mode=mode)
            rows = [
                row
                for number, case in enumerate(mine)
                for row in rows_of(str(number), case.multitrace, clocked=False)
            ]
            found = verdicts(question, written(tmp_path / "s.parquet", rows))
            alone = Verifier(interaction, mode)
            for number, case in enumerate(mine):
                if case.multitrace.is_discrete:
                    right = case.verdict
                else:
                    told = as_recorded(case.multitrace, case.multitrace.lifelines, clocked=False)
                    right = alone.decide(told).verdict
                assert found[str(number)] == right.value
                met[right.value] += 1
    assert min(met.values()) > 300


# The same sessions in other files.


def many(seed: int = 0, number: int = 300) -> tuple[Automaton, list[Row]]:
    rng = Random(seed)
    edges = [(0, LETTERS[0], 1), (1, LETTERS[2], 0), (0, LETTERS[3], 2), (2, LETTERS[1], 0)]
    one = automaton(edges, initial=[0], final=[0])
    rows: list[Row] = []
    for place in range(number):
        logs = MultiTrace(tuple(Component(*log) for log in drawn_logs(rng, one)))
        rows += rows_of(f"session {place}", logs, clocked=False)
    return one, rows


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that is done beyond some size is done here."""
    monkeypatch.setattr(gathering, "ACTIONS", 40)
    monkeypatch.setattr(gathering, "KEPT", 30)
    monkeypatch.setattr(gathering, "ROWS", 60)
    monkeypatch.setattr(gathering, "PARTS", 3)
    monkeypatch.setattr(judging, "TOGETHER", 7)


def question(one: Automaton, mode: AutomatonMode = "multiprefix") -> SessionsQuestion:
    return SessionsQuestion(automaton=one, interaction=None, mode=mode)


def test_a_cluster_is_asked_where_it_should_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    class Here:
        def stream(self, work: Callable[[Any], Any], tasks: Iterable[Any], ahead: int) -> Any:
            asked.append(ahead)
            return map(work, tasks)

    monkeypatch.setattr(judging, "ray_workers", lambda jobs: nullcontext(Here()))
    one, rows = many(number=20)
    sessions = Sessions((str(written(tmp_path / "s.jsonl", rows)),))
    here, there = (
        [
            (judged.names, judged.answers)
            for judged in Judging(question(one), sessions).judged(jobs=3, engine=engine)
        ]
        for engine in ("local", "ray")
    )
    assert here == there
    assert asked == [6]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", ["s.jsonl", "s.parquet"])
def test_interleaved_sessions_are_judged_as_those_that_stand_together(
    tmp_path: Path, name: str
) -> None:
    one, rows = many()
    apart = verdicts(question(one), written(tmp_path / name, rows))
    together = verdicts(question(one), written(tmp_path / name, mixed(rows, Random(1))))
    assert {*apart.values()} == {"Pass", "WeakPass", "Fail"}
    assert len(apart) > 200
    assert [*apart] != [*together]
    assert apart == together


@pytest.mark.usefixtures("small")
def test_files_of_a_folder_are_one_after_the_other(tmp_path: Path) -> None:
    """A session may begin in one and end in the next."""
    one, rows = many()
    whole = verdicts(question(one), written(tmp_path / "whole.jsonl", rows))
    files = [
        written(tmp_path / f"{place}.{suffix}", rows[place : place + 100])
        for place, suffix in zip(range(0, len(rows), 100), ["jsonl", "parquet"] * 20, strict=False)
    ]
    parts = verdicts(question(one), *files)
    assert [*parts.items()] == [*whole.items()]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("order", ["together", "interleaved"])
def test_several_processes_say_the_same_in_the_same_order(tmp_path: Path, order: str) -> None:
    one, rows = many()
    if order == "interleaved":
        rows = mixed(rows, Random(2))
    file = written(tmp_path / "s.parquet", rows)
    alone = verdicts(question(one), file)
    assert [*verdicts(question(one), file, jobs=2).items()] == [*alone.items()]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("order", ["together", "interleaved"])
@pytest.mark.parametrize("skip", [1, 8, 50, 1_000])
def test_without_the_first_ones_the_others_are_the_same(
    tmp_path: Path, order: str, skip: int
) -> None:
    one, rows = many()
    if order == "interleaved":
        rows = mixed(rows, Random(2))
    file = written(tmp_path / "s.parquet", rows)
    whole = [*verdicts(question(one), file).items()]
    assert [*verdicts(question(one), file, skip=skip).items()] == whole[skip:]


# Clocks.


def test_who_shares_a_clock_can_be_said_for_all_sessions(tmp_path: Path) -> None:
    a, b = LETTERS[0], LETTERS[1]
    one = automaton([(0, a, 1), (1, b, 2)], initial=[0], final=[2])
    rows: list[Row] = [("s", str(b), None), ("s", str(a), None), ("t", str(b), None)]
    file = written(tmp_path / "s.jsonl", rows)
    apart = question(one)
    assert verdicts(apart, file) == {"s": "Pass", "t": "WeakPass"}
    shared = SessionsQuestion(
        automaton=one, interaction=None, mode="multiprefix", together=(("a", "b"),)
    )
    assert verdicts(shared, file) == {"s": "Fail", "t": "Fail"}
    # What rows say of clocks does not count then.
    clocked = written(
        tmp_path / "c.jsonl", [(name, text, n) for n, (name, text, _) in enumerate(rows)]
    )
    assert verdicts(shared, clocked) == {"s": "Fail", "t": "Fail"}
    assert verdicts(apart, clocked) == {"s": "Pass", "t": "WeakPass"}


def test_who_shares_a_clock_has_one_log_also_where_a_session_is_judged_alone() -> None:
    a, b, c = (emission(name, "m") for name in "abc")
    told = Chunk(["s"], np.array([4]), np.array([1, 2, 0, 1], np.int32), None, {}, (a, b, c))
    found = logs.multi_trace_of(told, 0, 0, (("a", "b"),))
    assert found == MultiTrace((Component(("a", "b"), (b, a, b)), Component(("c",), (c,))))


@pytest.mark.parametrize("order", ["together", "interleaved"])
@pytest.mark.parametrize("file", ["s.jsonl", "s.parquet"])
def test_clocks_may_be_as_many_as_there_are_sessions(
    tmp_path: Path, file: str, order: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "MANY", 5)
    a, b = LETTERS[0], LETTERS[1]
    one = automaton([(0, a, 1), (1, b, 2)], initial=[0], final=[2])
    rows: list[Row] = []
    for number in range(0, 80, 2):  # b first: wrong by one clock, right by two
        name = f"s{number}"
        rows += [(name, str(b), number), (name, str(a), number + number % 4 // 2)]
    if order == "interleaved":
        rows = mixed(rows, Random(1))
    found = verdicts(question(one), written(tmp_path / file, rows))
    assert found == {f"s{n}": "Pass" if n % 4 else "Fail" for n in range(0, 80, 2)}


def test_a_lifeline_has_one_clock(tmp_path: Path) -> None:
    one, _ = many()
    action = str(LETTERS[0])
    rows: list[Row] = [("s", action, 1), ("s", action, 2), ("t", action, 1), ("u", action, 2)]
    found = verdicts(question(one), written(tmp_path / "s.parquet", rows))
    assert found["s"] == "session 's': a has actions at two clocks; a lifeline has one"
    assert found["t"] == found["u"] == "WeakPass"


# What is wrong with some costs the others nothing.


def test_unknown_actions_never_fit(tmp_path: Path) -> None:
    one, _ = many()
    rows: list[Row] = [("s", "a!other", None), ("t", "strange!m", None), ("u", "a!m", None)]
    file = written(tmp_path / "s.jsonl", rows)
    assert verdicts(question(one), file) == {"s": "Fail", "t": "Fail", "u": "WeakPass"}


def test_more_actions_than_can_be_told_apart_cost_the_others_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "MANY", 2)
    one, _ = many()
    rows: list[Row] = [("s", "a!m", None), ("t", "b?m", None), ("u", "a!n", None)]
    found = verdicts(question(one), written(tmp_path / "s.jsonl", rows))
    assert "more than 2 different actions" in found.pop("u")
    assert found == {"s": "WeakPass", "t": "WeakPass"}


@pytest.mark.parametrize("order", ["together", "interleaved"])
def test_a_session_without_end_has_a_problem(tmp_path: Path, order: str) -> None:
    one, _ = many()
    rows: list[Row] = [("t", "a!m", None)] + [("s", "a!m", None)] * 50 + [("u", "a!m", None)]
    if order == "interleaved":
        rows.append(("t", "b?m", None))
    file = written(tmp_path / "s.parquet", rows)
    found = verdicts(question(one), file, most=49)
    assert found.pop("s") == "session 's' has more than 49 actions: --max-actions allows more"
    assert found == {"t": "WeakPass" if order == "together" else "Pass", "u": "WeakPass"}
    assert "more" not in verdicts(question(one), file, most=50)["s"]


def test_what_is_lost_is_said_and_the_sessions_around_it_have_a_problem(tmp_path: Path) -> None:
    one, _ = many()
    path = tmp_path / "s.jsonl"
    row = '{{"session": "{}", "action": "a!m"}}\n'
    path.write_text("".join(map(row.format, "st")) + "no\n" + "".join(map(row.format, "uvw")))
    for more in ("", row.format("s")):  # which is then interleaved
        with path.open("a") as stream:
            stream.write(more)
        asked = Judging(question(one), Sessions((str(path), "missing.parquet")))
        answers = {
            name: answer
            for judged in asked.judged()
            for name, answer in zip(judged.names, judged.answers, strict=True)
        }
        problem = f"{path}:3: is not JSON: is cut off"
        assert asked.lost == [problem, "missing.parquet: cannot be read: there is no such file"]
        # A row that is lost may have been the last of one session, or the first of the next.
        assert answers["t"] == answers["u"] == f"may be cut off: {problem}"
        # The file that is missing may go on with the last one.
        fine = {name for name, answer in answers.items() if not isinstance(answer, str)}
        assert fine == ({"v", "w"} if more else {"s", "v"})


def test_a_file_that_cannot_be_read_costs_the_others_nothing(tmp_path: Path) -> None:
    one, rows = many(number=5)
    good = written(tmp_path / "good.jsonl", rows)
    (tmp_path / "bad.parquet").write_bytes(b"no")
    asked = Judging(question(one), Sessions((str(tmp_path / "bad.parquet"), str(good))))
    names = [name for judged in asked.judged() for name in judged.names]
    assert names == [*dict.fromkeys(name for name, _, _ in rows)]
    (lost,) = asked.lost
    assert "bad.parquet: is no Parquet file, or a part of it is missing" in lost


# The parts.


@pytest.mark.parametrize("kept", [2, 1_000])
def test_whether_sessions_stand_together(kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "KEPT", kept)
    assert stand_together([]) == 0
    assert stand_together([["a", "b"], ["b", "c"], [], ["c", "d", "e"]]) == 5
    assert stand_together([["a", "b"], ["b", "a"]]) is None
    assert stand_together([["a", "b", "c"], ["d", "e", "f"], ["g", "a"]]) is None
    assert stand_together([["", "b"], ["", "c"]]) is None


def runs(*told: tuple[str, int]) -> Block:
    return block_of([(name, [0] * length, None) for name, length in told], {})


def test_a_session_that_is_too_long_takes_no_clock_from_those_around_it() -> None:
    told = [("s", [0], [7]), ("t", [0, 0], [8, 9]), ("u", [0], [10])]
    (whole,) = joined([block_of(told, {})], 1, [])
    assert whole.lengths.tolist() == [1, 0, 1]
    assert whole.clocks is not None
    assert whole.clocks.tolist() == [7, 10]


@pytest.mark.parametrize("gathered", [joined, put_in_order])
def test_runs_without_clocks_are_sessions_without_clocks(
    gathered: Callable[..., Iterable[Block]],
) -> None:
    found = [*gathered([runs(("s", 1)), runs(("s", 2), ("t", 1))], 9, [])]
    assert sum(len(block.names) for block in found) == 2
    assert all(block.clocks is None for block in found)


def test_what_is_wrong_with_a_run_stays_with_it_when_a_block_is_divided() -> None:
    told = block_of([(name, [0], None) for name in "rstu"], {0: "first", 2: "third"})
    found = [(block.names, block.problems) for block in divided([told], 2)]
    assert found == [(["r", "s"], {0: "first"}), (["t", "u"], {0: "third"})]


@pytest.mark.usefixtures("small")
def test_blocks_are_bounded_whatever_comes() -> None:
    pieces = [runs((f"s{n}", 30), (f"t{n}", 1)) for n in range(20)]
    whole = [*divided(joined(pieces, 1_000, []), 100)]
    assert [name for block in whole for name in block.names] == [
        name for piece in pieces for name in piece.names
    ]
    assert all(len(block.actions) + len(block.names) <= 40 for block in whole)
    assert all(len(block.names) == len(block.lengths) for block in whole)


@pytest.mark.usefixtures("small")
def test_one_session_that_cannot_be_divided_is_put_in_order_all_the_same() -> None:
    pieces = [runs(("s", 30)), runs(("s", 30)), runs(("t", 5)), runs(("s", 30))]
    found = {
        name: length
        for block in put_in_order(pieces, 1_000, [])
        for name, length in zip(block.names, block.lengths.tolist(), strict=True)
    }
    assert found == {"s": 90, "t": 5}


def test_temporary_files_are_gone(tmp_path: Path) -> None:
    one, rows = many()
    folder = tmp_path / "temporary"
    folder.mkdir()
    file = written(tmp_path / "s.parquet", mixed(rows, Random(0)))
    assert verdicts(question(one), file, folder=folder)
    begun = Judging(question(one), Sessions((str(file),), folder=folder)).judged()
    next(begun)
    assert [*folder.iterdir()]
    begun.close()  # type: ignore[attr-defined]
    assert [*folder.iterdir()] == []
