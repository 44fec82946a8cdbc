"""`choreomon verify --sessions`: options, files, exit codes."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from choreomon.cli.command_line.installation import install_command
from choreomon.sessions import results
from tests.cli.command_line import ROOT, Answer, choreomon
from tests.cli.offline import SIGNATURE

INTERACTION = "seq(a -- m -> b, loopS(alt(b -- n -> c, c -- k -> b)))"

ROWS = {
    "pass": ["a!m", "b?m", "b!n", "c?n", "c!k", "b?k"],
    "weak": ["a!m", "b?m", "b!n"],
    "fail": ["a!m", "c?n", "b!n", "b?m"],
    "late": ["b?k", "c!k"],
}
"""By session its actions, those of each lifeline in their order."""

FACTS = {
    "accept": ["Pass", "Fail", "Fail", "Fail"],
    "multiprefix": ["Pass", "WeakPass", "Fail", "Fail"],
    "slice": ["Pass", "WeakPass", "Fail", "WeakPass"],
}


@pytest.fixture(autouse=True)
def files(place: Path) -> Path:
    place.joinpath("i.hif").write_text(INTERACTION)
    place.joinpath("s.hsf").write_text(SIGNATURE)
    rows = [(name, action) for name, actions in ROWS.items() for action in actions]
    lines = [json.dumps({"session": name, "action": action}) for name, action in rows]
    place.joinpath("s.jsonl").write_text("\n".join(lines) + "\n")
    columns = {"session": [name for name, _ in rows], "action": [action for _, action in rows]}
    pq.write_table(pa.table(columns), place / "s.parquet")
    return place


def verify(*arguments: object) -> Answer:
    return choreomon("verify", "-i", "i.hif", *arguments)


def found(text: str) -> dict[str, str | None]:
    rows = [json.loads(line) for line in text.splitlines()]
    return {row["session"]: row["verdict"] for row in rows}


@pytest.mark.parametrize("mode", FACTS)
@pytest.mark.parametrize("file", ["s.jsonl", "s.parquet"])
def test_modes(mode: str, file: str) -> None:
    answer = verify("--sessions", file, "--mode", mode, "--json")
    assert found(answer.out) == dict(zip(ROWS, FACTS[mode], strict=True))
    assert (answer.code, answer.err) == (1, "")
    assert set(json.loads(answer.out.splitlines()[0])) == {"session", "mode", "verdict", "reason"}


def test_a_summary_is_for_people() -> None:
    answer = verify("--sessions", "s.jsonl")
    assert answer.out == "4 sessions: 2 Fail, 1 Pass, 1 WeakPass\nFail: fail, late\n"
    assert answer.code == 1


def test_names_of_sessions_are_no_commands_to_a_terminal(place: Path) -> None:
    names = ["plain", "", "two\nlines", "\x1b[2J"]
    rows = [json.dumps({"session": name, "action": "no!no"}) + "\n" for name in names]
    place.joinpath("s.jsonl").write_text("".join(rows))
    told = r'Fail: plain, "", "two\nlines", "\u001b[2J"'
    assert verify("--sessions", "s.jsonl").out.startswith(f"4 sessions: 4 Fail\n{told}\n")


def test_when_all_pass_the_exit_code_is_zero(place: Path) -> None:
    row = {"session": "only", "actions": ROWS["pass"]}
    place.joinpath("s.jsonl").write_text(json.dumps(row))
    assert verify("--sessions", "s.jsonl") == Answer(0, "1 session: 1 Pass\n", "")


def test_automata_are_protocols_too(place: Path) -> None:
    small = "seq(a -- m -> b, loopS(b -- n -> c))"
    place.joinpath("small.hif").write_text(small)
    assert choreomon("synthesize", "small.hif", "-o", "small.json").code == 0
    answers = [
        choreomon("verify", *protocol, "--sessions", "s.jsonl", "--json")
        for protocol in (("-i", "small.hif"), ("--automaton", "small.json"))
    ]
    assert answers[0] == answers[1]
    assert found(answers[0].out)["weak"] == "WeakPass"


def test_letters_of_an_automaton_may_be_anywhere(place: Path) -> None:
    document = {"kind": "automaton", "letters": ["x"], "states": 2, "initial": [0], "final": [1]}
    place.joinpath("a.json").write_text(json.dumps({**document, "edges": [[0, "x", 1]]}))
    place.joinpath("l.json").write_text('{"kind": "locations", "locations": {"p": ["x"]}}')
    place.joinpath("s.jsonl").write_text('{"session": 1, "action": "p!x"}\n')
    answer = choreomon(
        *("verify", "--automaton", "a.json", "--locations", "l.json", "--sessions", "s.jsonl")
    )
    assert answer.out == "1 session: 1 Pass\n"


def test_interactions_without_an_automaton_are_decided_session_by_session(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    usual = verify("--sessions", "s.parquet", "--json")
    monkeypatch.setattr("choreomon.cli.offline.verify_sessions.SYNTHESIS", 1)
    answer = verify("--sessions", "s.parquet", "--json")
    assert answer.err == "i.hif: has more than 1 states: each session is decided alone\n"
    assert answer.out == usual.out
    stopped = verify("--sessions", "s.parquet", "--memory", 1, "--json")
    assert {json.loads(line)["reason"] for line in stopped.out.splitlines()} >= {"OutOfMemory"}
    assert stopped.code == 3
    stopped = verify("--sessions", "s.parquet", "--budget", "0.000000001", "--json")
    assert {json.loads(line)["reason"] for line in stopped.out.splitlines()} >= {"TimedOut"}


def test_standard_input(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = place.joinpath("s.jsonl").read_bytes() + b"no\n"
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text)))
    answer = verify("--sessions", "-", "--json")
    assert answer.err.splitlines()[-1] == "standard input:16: is not JSON: is cut off"
    assert found(answer.out)["fail"] == "Fail"
    assert answer.code == 2


def test_results_on_standard_output(place: Path) -> None:
    """They are nowhere else."""
    plain = verify("--sessions", "s.jsonl", "--json")
    answer = verify("--sessions", "s.jsonl", "-o", "-")
    assert answer.code == plain.code == 1
    assert answer.out == plain.out
    assert verify("--sessions", "s.jsonl", "-o", "-", "--json").out == plain.out
    assert not place.joinpath("-").exists()
    assert not place.joinpath("-.partial").exists()


def test_a_byte_order_mark_loses_no_line(place: Path) -> None:
    place.joinpath("bom.jsonl").write_bytes(
        b"\xef\xbb\xbf" + place.joinpath("s.jsonl").read_bytes()
    )
    expected = verify("--sessions", "s.jsonl", "--json")
    answer = verify("--sessions", "bom.jsonl", "--json")
    assert (answer.code, answer.out, answer.err) == (1, expected.out, "")


def test_folders(place: Path) -> None:
    place.joinpath("in").mkdir()
    for name in ("s.jsonl", "s.parquet"):
        place.joinpath(name).rename(place / "in" / name)
    # In both files, so that the sessions are twice as long.
    assert found(verify("--sessions", "in", "--json").out) == {
        **dict.fromkeys(ROWS, "Fail"),
    }
    place.joinpath("none").mkdir()
    answer = verify("--sessions", "none")
    assert (answer.code, answer.err[:26]) == (2, "none: holds no sessions: f")


def test_names_of_fields(place: Path) -> None:
    kinds = {"!": "send", "?": "receive"}
    rows = [
        {"id": name, "who": action[0], "what": kinds[action[1]], "m": action[2]}
        for name, actions in ROWS.items()
        for action in actions
    ]
    place.joinpath("s.jsonl").write_text("\n".join(map(json.dumps, rows)))
    keys = ("--lifeline-key", "who", "--kind-key", "what", "--message-key", "m")
    answer = verify("--sessions", "s.jsonl", "--session-key", "id", *keys, "--json")
    assert found(answer.out) == dict(zip(ROWS, FACTS["multiprefix"], strict=True))


def test_signatures_refuse_what_they_do_not_declare(place: Path) -> None:
    with place.joinpath("s.jsonl").open("a") as stream:
        stream.write('{"session": "strange", "action": "a!x"}\n')
    assert found(verify("--sessions", "s.jsonl", "--json").out)["strange"] == "Fail"
    answer = verify("--sessions", "s.jsonl", "-s", "s.hsf", "--json")
    assert found(answer.out)["strange"] is None
    assert "s.jsonl:16: session 'strange': " in answer.err
    assert answer.code == 2


def test_shared_clocks(place: Path) -> None:
    row = {"session": "s", "actions": ["a!m", "b?m", "c?n", "b!n"]}
    place.joinpath("s.jsonl").write_text(json.dumps(row))
    assert found(verify("--sessions", "s.jsonl", "--json").out) == {"s": "Pass"}
    answer = verify("--sessions", "s.jsonl", "--colocated", "b,c", "--json")
    assert found(answer.out) == {"s": "Fail"}


def test_longest_sessions() -> None:
    answer = verify("--sessions", "s.jsonl", "--max-actions", 5, "--json")
    assert found(answer.out)["pass"] is None
    assert "session 'pass' has more than 5 actions: --max-actions allows more" in answer.err


@pytest.mark.parametrize("output", ["r.jsonl", "r.parquet"])
@pytest.mark.parametrize("jobs", [1, 2])
def test_results_are_written(place: Path, output: str, jobs: int) -> None:
    answer = verify("--sessions", "s.parquet", "-o", output, "--jobs", jobs)
    assert answer.out.startswith("4 sessions")
    if output.endswith("parquet"):
        table = pq.read_table(output).to_pydict()
        assert dict(zip(table["session"], table["verdict"], strict=True)) == dict(
            zip(ROWS, FACTS["multiprefix"], strict=True)
        )
        assert set(table["mode"]) == {"multiprefix"}
    else:
        assert place.joinpath(output).read_text() == verify("--sessions", "s.parquet", "--json").out


@pytest.mark.parametrize("output", ["r.jsonl", "r.parquet"])
@pytest.mark.parametrize("at", ["fail", "late"])
def test_who_is_interrupted_goes_on(
    place: Path, output: str, at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "PIECE", 1)
    monkeypatch.setattr("choreomon.batch.sessions.judging.TOGETHER", 1)
    whole = verify("--sessions", "s.parquet", "-o", f"whole-{output}")
    add = results.ResultsFile.add

    def interrupted(self: results.ResultsFile, result: results.Result) -> None:
        if result.session == at:
            raise KeyboardInterrupt
        add(self, result)

    with monkeypatch.context() as stopping:
        stopping.setattr(results.ResultsFile, "add", interrupted)
        assert verify("--sessions", "s.parquet", "-o", output).code == 130
    assert not place.joinpath(output).exists()
    other = verify("--sessions", "s.parquet", "-o", output, "--mode", "slice")
    assert "holds results of other sessions, or of another question" in other.err
    again = verify("--sessions", "s.parquet", "-o", output)
    assert again.err == f"{[*ROWS].index(at)} sessions were judged before\n"
    assert again.out == whole.out
    assert place.joinpath(output).read_bytes() == place.joinpath(f"whole-{output}").read_bytes()
    assert not place.joinpath(f"{output}.partial").exists()


@pytest.mark.skipif(find_spec("ray") is None, reason="ray is not installed: pip install -e .[ray]")
def test_a_ray_cluster_gives_the_same_results(place: Path) -> None:
    """In a process of its own: what ray leaves in one is not ours."""
    here = verify("--sessions", "s.parquet", "--json")
    environment = {key: value for key, value in os.environ.items() if key != "RAY_ADDRESS"}
    there = subprocess.run(
        [
            *(sys.executable, "-m", "choreomon", "verify", "-i", "i.hif", "--json"),
            *("--sessions", "s.parquet", "--engine", "ray", "--jobs", "2"),
        ],
        cwd=place,
        env={**environment, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert there.returncode == 1, there.stderr
    assert there.stdout == here.out


# Bad usage, and bad files.


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--sessions", "s.jsonl", "t.htf"), "give TRACE... or --sessions, one of the two"),
        (("--sessions", "s.jsonl", "--explain"), "--explain can only be used without --sessions"),
        (("--sessions", "s.jsonl", "--junit", "x"), "--junit can only be used without --sessions"),
        (("--sessions", "s.jsonl", "--no-por"), "--por can only be used without --sessions"),
        (("--sessions", "s.jsonl", "--mode", "prefix"), "of sessions these can be asked: accept,"),
        (("--sessions", "s.jsonl", "--colocated", "a,a"), "--colocated"),
        (("--sessions", "s.jsonl", "-o", "s.jsonl"), "s.jsonl: is read, too: write another file"),
        (("--sessions", "s.jsonl", "--max-states", "5"), "--max-states can only be used without"),
        (
            ("--sessions", "s.jsonl", "--session-key", "clock"),
            "two fields of JSON lines are called",
        ),
        (("--sessions", "s.jsonl", "--kind-key", "m", "--message-key", "m"), "are called 'm'"),
        (("t.htf", "-o", "r"), "--output can only be used with --sessions"),
        (("t.htf", "--engine", "local"), "--engine can only be used with --sessions"),
        (("t.htf", "--session-key", "x"), "--session-key can only be used with --sessions"),
        (("t.htf", "--max-actions", "3"), "--max-actions can only be used with --sessions"),
        ((), "Missing argument 'TRACE...'"),
    ],
)
def test_bad_usage(arguments: tuple[str, ...], told: str) -> None:
    answer = verify(*arguments)
    assert answer.code == 2
    assert told in answer.err


def test_what_cannot_be_read_is_told(place: Path) -> None:
    place.joinpath("bad.parquet").write_bytes(b"bad")
    answer = verify("--sessions", "bad.parquet")
    assert answer.err.startswith("bad.parquet: is no Parquet file, or a part of it is missing")
    assert (answer.code, answer.out) == (2, "0 sessions\n")
    answer = verify("--sessions", "missing.jsonl")
    assert (answer.code, answer.err) == (
        2,
        "missing.jsonl: cannot be read: there is no such file\n",
    )


@pytest.mark.parametrize("name", ["session", "action", "clock"])
def test_columns_of_one_name_are_refused(name: str) -> None:
    names = ["session", "action", "clock", name]
    pq.write_table(pa.table([pa.array(["x"])] * 4, names=names), "s.parquet")
    answer = verify("--sessions", "s.parquet")
    told = f"s.parquet: {name}: is the name of several columns: keep one of them\n"
    assert answer == Answer(2, "0 sessions\n", told)


@pytest.mark.parametrize("text", [pa.string(), pa.large_string(), pa.string_view()])
@pytest.mark.parametrize("listed", [False, True])
def test_text_is_text_and_a_column_of_nothing_is_left_out(
    text: pa.DataType, *, listed: bool
) -> None:
    columns: dict[str, pa.Array] = {
        "session": pa.array(["x", "x", "y"], text),
        "action": pa.array(["a!m", "b?m", "a!m"], text),
        "clock": pa.nulls(3),
    }
    if listed:
        columns = {
            "session": pa.array(["x", "y"], text),
            "actions": pa.array([["a!m", "b?m"], ["a!m"]], pa.list_(text)),
            "clock": pa.nulls(2),
        }
    pq.write_table(pa.table(columns), "s.parquet")
    answer = verify("--sessions", "s.parquet", "--json")
    assert answer.err == ""
    assert found(answer.out) == {"x": "Pass", "y": "WeakPass"}


def test_many_problems_are_counted(place: Path) -> None:
    rows = [f'{{"session": {number}, "action": "no"}}\n' for number in range(13)]
    place.joinpath("s.jsonl").write_text("".join(rows))
    answer = verify("--sessions", "s.jsonl")
    assert answer.out == "13 sessions: 13 not judged\n"
    assert len(answer.err.splitlines()) == 11
    assert answer.err.endswith(
        "3 more problems are not shown here; results have those of sessions\n"
    )


def test_without_the_extra_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("choreomon.cli.offline.verify_sessions.find_spec", lambda name: None)
    answer = verify("--sessions", "s.jsonl")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == f"--sessions needs numpy and pyarrow: {install_command('batch')}\n"


def test_a_report_counts_sessions_and_explains_the_first_that_do_not_fit() -> None:
    plain = verify("--sessions", "s.jsonl", "--json")
    told = [json.loads(line) for line in plain.out.splitlines()]
    failed = [one["session"] for one in told if one["verdict"] == "Fail"]
    verify("--sessions", "s.jsonl", "--report", "page.html")
    page = Path("page.html").read_text(encoding="utf-8")
    assert f"<h1>{len(failed)} of {len(told)} sessions" in page
    assert failed
    assert all(f">Fail: {name}</h3>" in page for name in failed)
    assert page.count("<svg") >= len(failed)
    assert page.count("<article>") == len(failed)


def test_actions_that_occur_nowhere_and_strange_ones_are_told(place: Path) -> None:
    rows = [
        f'{{"session": {n}, "action": "{action}"}}\n' for n in (1, 2) for action in ("a!m", "b?mm")
    ]
    place.joinpath("s.jsonl").write_text("".join(rows))
    told = verify("--sessions", "s.jsonl").out.splitlines()[2:]
    assert told == [
        "Not exercised, since they are in no log: b!n, b?k, b?m, c!k, c?n.",
        "b?mm should never happen, and does; did you mean b?m?",
    ]
    assert "Not exercised" not in verify("--sessions", "s.jsonl", "--json").out
