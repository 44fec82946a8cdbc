"""The laws of schedules notice when they are broken: one schedule is played, and what its processes
left behind is changed in every way that the laws are against."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from benchmarks.faults.judging import Judged, judge
from benchmarks.faults.plan import Premises
from benchmarks.faults.schedules import KINDS, play
from benchmarks.faults.system import Moment
from choreomon.properties.instances import Parameters
from choreomon.runtime.inputs import (
    FromPeer,
    Report,
    ReportWithValues,
    decode_batch,
    encode_batch,
)

SEED = 0
"""Of a property that is formed often, and surely."""

OF_INSTANCES = 29
"""Of one for each instance, of which that is so, too, and which would be formed more often if all
of them were one."""


def one_played(*, instances: bool) -> Iterator[tuple[Premises, list[Moment]]]:
    kept: list[tuple[Premises, list[Moment]]] = []
    folder = Path(tempfile.mkdtemp(prefix="choreomon-"))

    def keep(premises: Premises, moments: list[Moment]) -> None:
        copy = folder / "played"
        shutil.copytree(premises.folder, copy, ignore=shutil.ignore_patterns("*.sock", "run-*"))
        kept.append((replace(premises, folder=copy), moments))

    outcome = asyncio.run(
        play(
            KINDS["agent"],
            OF_INSTANCES if instances else SEED,
            messages=120,
            instances=instances,
            keep=lambda system: keep(system.premises, system.moments),
        )
    )
    assert not outcome.judged.broken
    assert outcome.judged.words["violated"] > 10
    yield kept[0]
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def played() -> Iterator[tuple[Premises, list[Moment]]]:
    yield from one_played(instances=False)


@pytest.fixture(scope="module")
def played_of_instances() -> Iterator[tuple[Premises, list[Moment]]]:
    yield from one_played(instances=True)


@pytest.fixture
def premises(played: tuple[Premises, list[Moment]], tmp_path: Path) -> Premises:
    copy = tmp_path / "changed"
    shutil.copytree(played[0].folder, copy)
    return replace(played[0], folder=copy)


@pytest.fixture
def of_instances(played_of_instances: tuple[Premises, list[Moment]], tmp_path: Path) -> Premises:
    copy = tmp_path / "changed"
    shutil.copytree(played_of_instances[0].folder, copy)
    return replace(played_of_instances[0], folder=copy)


def laws(judged: Judged) -> set[str]:
    return {law for law, _ in judged.broken}


def teller(premises: Premises) -> str:
    """A process that declared a violation."""
    return next(
        name
        for name in premises.plan.names
        if premises.verdicts(name).exists() and "violated" in premises.verdicts(name).read_text()
    )


def change_lines(path: Path, change: Callable[[list[str]], list[str]]) -> None:
    path.write_text("".join(f"{line}\n" for line in change(path.read_text().splitlines())))


def last_violated(lines: list[str]) -> int:
    return max(
        place for place, line in enumerate(lines) if json.loads(line)["verdict"] == "violated"
    )


def test_unchanged_it_keeps_them(premises: Premises) -> None:
    judged = judge(premises, [])
    assert not judged.broken
    assert judged.formed == judged.declared > 10
    assert judged.told == judged.ticks


def test_a_word_that_never_came(premises: Premises) -> None:
    def without(lines: list[str]) -> list[str]:
        place = last_violated(lines)
        return lines[:place] + lines[place + 1 :]

    change_lines(premises.verdicts(teller(premises)), without)
    assert laws(judge(premises, [])) == {"declared", "words"}


def test_a_word_that_was_not_committed(premises: Premises) -> None:
    def another(lines: list[str]) -> list[str]:
        told = json.loads(lines[last_violated(lines)])
        return [*lines, json.dumps(told | {"id": told["id"] + "x", "count": 1_000_000})]

    change_lines(premises.verdicts(teller(premises)), another)
    judged = judge(premises, [])
    assert laws(judged) == {"durable", "no false alarm"}
    assert judged.false == 1


def test_a_word_that_changes(premises: Premises) -> None:
    def changed(lines: list[str]) -> list[str]:
        told = json.loads(lines[last_violated(lines)])
        return [*lines, json.dumps(told | {"unseen": not told["unseen"]})]

    change_lines(premises.verdicts(teller(premises)), changed)
    assert "words" in laws(judge(premises, []))


def test_the_same_word_again_is_no_harm(premises: Premises) -> None:
    def again(lines: list[str]) -> list[str]:
        told = json.loads(lines[last_violated(lines)])
        return [*lines, '{"torn', json.dumps(told | {"time": "2030-01-01T00:00:00.000Z"})]

    change_lines(premises.verdicts(teller(premises)), again)
    assert not judge(premises, []).broken


def change_inputs(path: Path, change: Callable[[list[object]], list[object]]) -> None:
    """Of the last row in which an event was reported."""
    database = sqlite3.connect(path)
    rows = database.execute("SELECT number, inputs FROM kept ORDER BY number DESC").fetchall()
    for number, data in rows:
        inputs = list[object](decode_batch(data))
        if any(isinstance(given, Report) for given in inputs):
            row = encode_batch(change(inputs))
            database.execute("UPDATE kept SET inputs = ? WHERE number = ?", (row, number))
            break
    database.commit()
    database.close()


def reporter(premises: Premises) -> str:
    return max(premises.plan.names, key=lambda name: premises.trace(name).stat().st_size)


def test_an_event_that_was_acknowledged_and_is_not_there(premises: Premises) -> None:
    change_inputs(
        premises.store(reporter(premises)),
        lambda inputs: [given for given in inputs if type(given) is not Report],
    )
    judged = judge(premises, [])
    assert {"acknowledged", "durable"} <= laws(judged)
    assert judged.missing


def test_an_event_that_was_counted_twice(premises: Premises) -> None:
    def twice(inputs: list[object]) -> list[object]:
        report = next(given for given in inputs if type(given) is Report)
        again = Report(
            report.connection,
            report.session,
            report.number + 1,
            report.done,
            report.event,
            report.peer,
            report.name,
            report.heard,
            report.at + 1,
        )
        return [*inputs, again]

    change_inputs(premises.store(reporter(premises)), twice)
    assert "counted once" in laws(judge(premises, []))


def test_a_clock_that_was_answered_and_runs_backwards(premises: Premises) -> None:
    def swapped(lines: list[str]) -> list[str]:
        left = [place for place, line in enumerate(lines) if '"left"' in line]
        first, second = (json.loads(lines[place]) for place in left[-2:])
        first[3], second[3] = second[3], first[3]
        lines[left[-2]], lines[left[-1]] = json.dumps(first), json.dumps(second)
        return lines

    change_lines(premises.acts(reporter(premises)), swapped)
    assert laws(judge(premises, [])) == {"clocks", "acknowledged"}


def test_a_line_of_the_trace_that_is_not_in_the_journal(premises: Premises) -> None:
    def changed(lines: list[str]) -> list[str]:
        event = json.loads(lines[-1])
        return [*lines[:-1], json.dumps(event | {"time": event["time"] + 1})]

    change_lines(premises.trace(reporter(premises)), changed)
    assert laws(judge(premises, [])) == {"durable"}


def test_unchanged_each_instance_keeps_them(of_instances: Premises) -> None:
    judged = judge(of_instances, [])
    assert not judged.broken
    assert judged.formed == judged.declared > 10


def test_a_word_about_another_instance(of_instances: Premises) -> None:
    def another(lines: list[str]) -> list[str]:
        place = last_violated(lines)
        told = json.loads(lines[place])
        lines[place] = json.dumps(told | {"for": dict.fromkeys(told["for"], "another")})
        return lines

    change_lines(of_instances.verdicts(teller(of_instances)), another)
    assert "of its instance" in laws(judge(of_instances, []))


def test_an_event_that_was_taken_down_of_another_instance(of_instances: Premises) -> None:
    def another(inputs: list[object]) -> list[object]:
        return [
            msgspec.structs.replace(each, values=dict.fromkeys(each.values, "another"))
            if type(each) is ReportWithValues
            else each
            for each in inputs
        ]

    change_inputs(of_instances.store(reporter(of_instances)), another)
    assert "of its instance" in laws(judge(of_instances, []))


def test_what_is_formed_in_two_instances_together_is_formed_in_none(
    of_instances: Premises,
) -> None:
    """With all values the same more is formed, of which no agent says anything."""
    plan = of_instances.plan
    assert plan.parameters is not None
    nothing = Parameters((), dict.fromkeys(plan.parameters.carried, ()))
    judged = judge(replace(of_instances, plan=replace(plan, parameters=nothing)), [])
    assert judged.formed > judged.declared
    assert "declared" in laws(judged)


def test_a_value_that_another_agent_was_told(of_instances: Premises) -> None:
    own = reporter(of_instances)
    acts = of_instances.acts(own).read_text().splitlines()
    values = next(line[5] for line in map(json.loads, acts) if line[0] == "began" and line[5])
    database = sqlite3.connect(of_instances.store(own))
    number, data = database.execute(
        "SELECT number, inputs FROM kept ORDER BY number DESC"
    ).fetchone()
    frame = FromPeer(of_instances.plan.names[0], next(iter(values.values())).encode())
    row = encode_batch([*decode_batch(data), frame])
    database.execute("UPDATE kept SET inputs = ? WHERE number = ?", (row, number))
    database.commit()
    database.close()
    assert "secret" in laws(judge(of_instances, []))
