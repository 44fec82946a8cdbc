"""Sessions in files: what is read, and what is said of what cannot be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from choreomon.core.errors import DocumentError
from choreomon.hibou.signature import Signature
from choreomon.sessions import blocks, json_lines, parquet
from choreomon.sessions.blocks import Actions, Alphabet, Block, Lost, Piece
from choreomon.sessions.json_lines import JsonLines
from choreomon.sessions.parquet import Parquet
from choreomon.sessions.results import Result, ResultsFile, result_line
from choreomon.sessions.source import Fields, session_files
from choreomon.sessions.temporary import Aside

Run = tuple[str, list[str], list[str] | None]


def told(pieces: list[Piece], alphabet: Alphabet) -> list[Run | str]:
    """Runs with their actions and clocks as texts, and what is lost."""
    found: list[Run | str] = []
    clock_names = [*alphabet.clocks._texts]
    for piece in pieces:
        if isinstance(piece, Lost):
            found.append(piece.problem)
            continue
        begin = 0
        for name, length in zip(piece.names, piece.lengths.tolist(), strict=True):
            end = begin + length
            actions = [str(alphabet.actions.known[n]) for n in piece.actions[begin:end]]
            clocks = None
            if piece.clocks is not None:
                clocks = [clock_names[n] if n >= 0 else "" for n in piece.clocks[begin:end]]
            found.append((name, actions, clocks))
            begin = end
        assert begin == len(piece.actions)
    return found


def problems(pieces: list[Piece]) -> dict[str, str]:
    return {
        piece.names[run]: problem
        for piece in pieces
        if isinstance(piece, Block)
        for run, problem in piece.problems.items()
    }


def lines(path: Path, *rows: object, fields: Fields = Fields()) -> tuple[list[Piece], Alphabet]:  # noqa: B008
    texts = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("".join(text + "\n" for text in texts), "utf-8")
    alphabet = Alphabet(Actions())
    return [*JsonLines(str(path), fields).pieces(alphabet)], alphabet


def table(path: Path, **columns: Any) -> tuple[list[Piece], Alphabet]:
    pq.write_table(pa.table(columns), path)
    alphabet = Alphabet(Actions())
    return [*Parquet(str(path)).pieces(alphabet)], alphabet


# JSON lines.


def test_an_action_a_line_or_a_session_a_line(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    found = lines(
        path,
        {"session": "s", "action": "a!m", "host": [1, {"x": 2}]},
        {"session": "s", "action": "b?m"},
        "",
        {"session": 7, "actions": ["a!n", "b?n"]},
        {"session": "s", "action": "a!m"},
        {"session": "none", "actions": []},
    )
    assert told(*found) == [
        ("s", ["a!m", "b?m"], None),
        ("7", ["a!n", "b?n"], None),
        ("s", ["a!m"], None),
        ("none", [], None),
    ]
    names = [name for many in JsonLines(str(path), Fields()).names() for name in many]
    assert names == ["s", "7", "s", "none"]


def test_clocks_are_texts_or_numbers(tmp_path: Path) -> None:
    found = lines(
        tmp_path / "s.jsonl",
        {"session": "s", "action": "a!m", "clock": "x"},
        {"session": "s", "actions": ["b?m", "b?m"], "clock": 3},
        {"session": "t", "action": "b?m"},
    )
    assert told(*found) == [
        ("s", ["a!m", "b?m", "b?m"], ["x", "3", "3"]),
        ("t", ["b?m"], [""]),
    ]


def test_fields_have_the_names_that_the_user_says(tmp_path: Path) -> None:
    fields = Fields("trace id", "service", "event", None)
    row = {"trace id": "s", "service": "a", "message": "m"}
    found = lines(
        tmp_path / "s.jsonl",
        *({**row, "event": kind} for kind in json_lines.KINDS),
        {**row, "event": "Send"},
        fields=fields,
    )
    sends = [f"a{sign}m" for sign in json_lines.KINDS.values()]
    assert told(*found) == [("s", [*sends, "a!m"], None)]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"session": "s", "action": "nothing"}, "'nothing' is no action; write `lifeline!message`"),
        ({"session": "s"}, "has no action: expected `action`, or `actions`, one of the two"),
        ({"session": "s", "action": "a!m", "actions": []}, "has no action: expected"),
        ({"session": "s", "action": 3}, "action: should be text, not an integer"),
        ({"session": "s", "actions": ["a!m", 3]}, "actions[1]: should be text, not an integer"),
        ({"session": "s", "action": "a!m", "clock": 1.5}, "clock: should be an integer or text"),
    ],
)
def test_what_is_wrong_with_a_line_is_said_of_its_session(
    tmp_path: Path, row: dict[str, object], problem: str
) -> None:
    path = tmp_path / "s.jsonl"
    good = {"session": "good", "action": "a!m"}
    pieces, _ = lines(path, good, {"session": "s", "action": "a!m"}, row, good)
    (found,) = problems(pieces).items()
    assert found[0] == "s"
    assert found[1].startswith(f"{path}:3: session 's': {problem}")
    assert not any(isinstance(piece, Lost) for piece in pieces)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("nonsense", "is not JSON: invalid character"),
        ('{"session": "s", "act', "is not JSON: invalid character"),
        ('{"session": "s"', "is not JSON: is cut off"),
        ('{"action": "a!m"}', "has no field `session`: give one"),
        ('{"session": 1.5, "action": "a!m"}', "session: should be"),
        ("[" * 100_000, "session"),
    ],
)
def test_a_line_of_no_session_is_lost_and_the_others_are_not(
    tmp_path: Path, line: str, problem: str
) -> None:
    good = {"session": "s", "action": "a!m"}
    pieces, alphabet = lines(tmp_path / "s.jsonl", good, line, good)
    first, lost, last = told(pieces, alphabet)
    assert first == last == ("s", ["a!m"], None)
    assert str(lost).startswith(f"{tmp_path / 's.jsonl'}:2: ")
    assert problem in str(lost)


def test_a_line_that_is_too_long_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "LONGEST_LINE", 60)
    good = {"session": "s", "action": "a!m"}
    pieces, alphabet = lines(
        tmp_path / "s.jsonl", good, {"session": "s", "actions": ["a!m"] * 20}, good
    )
    _, lost, last = told(pieces, alphabet)
    assert "s.jsonl:2: is longer than 60 bytes" in str(lost)
    assert last == ("s", ["a!m"], None)


def test_a_line_without_an_end_ends_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_lines, "LONGEST_LINE", 60)
    (tmp_path / "s.jsonl").write_text('{"session": "s", "action": "a!m"}\n' + "x" * 300)
    read = JsonLines(str(tmp_path / "s.jsonl"), Fields())
    pieces = read.pieces(Alphabet(Actions()))
    assert isinstance(next(pieces), Block)
    assert "s.jsonl:2: is longer than 60 bytes" in str(next(pieces))
    with pytest.raises(DocumentError, match=r"s.jsonl:2: has no end within 240 bytes"):
        next(pieces)


def test_kinds_that_are_none_are_said(tmp_path: Path) -> None:
    row = {"session": "s", "lifeline": "a", "kind": "sends", "message": "m"}
    pieces, _ = lines(tmp_path / "s.jsonl", row, fields=Fields(kind="kind"))
    assert "kind: 'sends' is none of !, send, emission, ?, receive" in problems(pieces)["s"]


def test_what_a_signature_does_not_declare_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text('{"session": "s", "action": "a!x"}\n{"session": "t", "action": "a!m"}\n')
    alphabet = Alphabet(Actions(Signature(("a",), ("m",))))
    pieces = [*JsonLines(str(path), Fields()).pieces(alphabet)]
    assert [*problems(pieces)] == ["s"]


def test_too_many_different_actions_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (blocks, parquet):
        monkeypatch.setattr(module, "MANY", 2, raising=False)
    rows = [{"session": f"s{n}", "action": f"a!m{n}"} for n in range(4)]
    pieces, _ = lines(tmp_path / "s.jsonl", *rows)
    texts = [row["action"] for row in rows]
    again, _ = table(tmp_path / "s.parquet", session=["s0", "s1", "s2", "s3"], action=texts)
    for found in (problems(pieces), problems(again)):
        assert [*found] == ["s2", "s3"]
        assert "more than 2 different actions" in found["s2"]


def test_blocks_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "AT_ONCE", 4)
    pieces, _ = lines(tmp_path / "s.jsonl", *[{"session": "s", "action": "a!m"}] * 9)
    assert [len(piece.actions) for piece in pieces if isinstance(piece, Block)] == [2, 2, 2, 2, 1]


# Parquet.


def dictionary(values: list[str]) -> Any:
    return pa.array(values).dictionary_encode()


@pytest.mark.parametrize("names", [["s", "s", "t", "s"], [1, 1, 2, 1]])
@pytest.mark.parametrize("encoded", [pa.array, dictionary])
def test_an_action_a_row(tmp_path: Path, names: list[Any], encoded: Any) -> None:
    actions = ["a!m", "b?m", "a!n", "b?n"]
    column = pa.array(names) if isinstance(names[0], int) else encoded(names)
    found = table(tmp_path / "s.parquet", session=column, action=encoded(actions), other=[1.0] * 4)
    assert told(*found) == [
        (str(names[0]), ["a!m", "b?m"], None),
        (str(names[2]), ["a!n"], None),
        (str(names[0]), ["b?n"], None),
    ]


@pytest.mark.parametrize("kind", [pa.string(), pa.dictionary(pa.int32(), pa.string())])
def test_a_log_a_row_with_its_clock(tmp_path: Path, kind: Any) -> None:
    lists = pa.array([["a!m", "a?n"], ["b?m"], [], ["a!m"]], pa.list_(kind))
    found = table(
        tmp_path / "s.parquet", session=["s", "s", "t", "u"], actions=lists, clock=[0, 1, 0, None]
    )
    assert told(*found) == [
        ("s", ["a!m", "a?n"], ["0", "0"]),
        ("s", ["b?m"], ["1"]),
        ("t", [], []),
        ("u", ["a!m"], [""]),
    ]


@pytest.mark.parametrize("many", [1, 2, 3, 100])
def test_batches_change_nothing_but_where_runs_are_cut(
    tmp_path: Path, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "ROWS", many)
    names = ["s", "s", "s", "t", "t", "s"]
    actions = ["a!m", "b?m", "a!n", "b?n", "a!m", "b!k"]
    pieces, alphabet = table(tmp_path / "s.parquet", session=names, action=actions)
    runs = told(pieces, alphabet)
    assert [action for run in runs for action in run[1]] == actions
    assert [run[0] for run in runs for _ in run[1]] == names


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({"action": ["a!m"]}, "has no column `session`; it has `action`"),
        ({"session": ["s"]}, "has neither of the columns `action` and `actions`"),
        (
            {"session": ["s"], "action": ["a!m"], "actions": [["a!m"]]},
            "has both of the columns `action` and `actions`",
        ),
        ({"session": [1.5], "action": ["a!m"]}, "session: is of type double: expected text or"),
        ({"session": ["s"], "action": [1]}, "action: is of type int64: expected text"),
        ({"session": ["s"], "actions": ["a!m"]}, "actions: is of type string: expected lists of"),
        ({"session": ["s"], "actions": [[1]]}, "actions: is of type list<"),
        ({"session": ["s"], "action": ["a!m"], "clock": [True]}, "clock: is of type bool"),
    ],
)
def test_other_columns_are_refused(tmp_path: Path, columns: Any, problem: str) -> None:
    with pytest.raises(DocumentError) as refused:
        table(tmp_path / "s.parquet", **columns)
    assert str(refused.value).startswith(f"{tmp_path / 's.parquet'}: {problem}")


def test_rows_that_are_empty_are_said_of_their_session(tmp_path: Path) -> None:
    path = tmp_path / "s.parquet"
    pieces, _ = table(
        path, session=["s", "s", None, "t", "u"], action=["a!m", None, "a!m", "x", "a!m"]
    )
    assert problems(pieces) == {
        "s": f"{path}: row 2: session 's': action: is empty: expected one such as "
        "`lifeline!message`",
        "t": f"{path}: row 4: session 't': action: 'x' is no action; write `lifeline!message` or "
        "`lifeline?message`",
    }
    lost = [piece.problem for piece in pieces if isinstance(piece, Lost)]
    assert lost == [f"{path}: row 3: session: is empty: name one"]
    lists = pa.array([None, ["a!m"]], pa.list_(pa.string()))
    pieces, _ = table(path, session=["s", "t"], actions=lists)
    assert problems(pieces) == {
        "s": f"{path}: row 1: session 's': actions: is empty: expected a list"
    }


@pytest.mark.parametrize("what", ["cut off", "foreign", "empty", "missing"])
def test_files_that_are_no_parquet_are_refused(tmp_path: Path, what: str) -> None:
    path = tmp_path / "s.parquet"
    table(path, session=["s"], action=["a!m"])
    content = {"cut off": path.read_bytes()[:-20], "foreign": b"{}\n" * 99, "empty": b""}
    if what == "missing":
        path.unlink()
    else:
        path.write_bytes(content[what])
    with pytest.raises(DocumentError) as refused:
        Parquet(str(path))
    missing = "cannot be read: there" if what == "missing" else "is no Parquet file, or a part of"
    assert str(refused.value).startswith(f"{path}: {missing}")


def test_a_page_that_is_spoilt_costs_nothing_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "ROWS", 500)
    path = tmp_path / "s.parquet"
    rows = [f"s{number:05}" for number in range(4_000)]
    pq.write_table(
        pa.table({"session": rows, "action": ["a!m"] * 4_000}),
        path,
        row_group_size=1_000,
        compression="zstd",
        use_dictionary=["action"],
    )
    third = pq.ParquetFile(path).metadata.row_group(2).column(0)
    data = bytearray(path.read_bytes())
    begin = third.data_page_offset
    data[begin : begin + third.total_compressed_size] = b"\xff" * third.total_compressed_size
    path.write_bytes(bytes(data))
    pieces = [*Parquet(str(path)).pieces(Alphabet(Actions()))]
    names = [name for piece in pieces if isinstance(piece, Block) for name in piece.names]
    assert names == rows[:2_000]
    assert isinstance(pieces[-1], Lost)
    assert f"{path}: row 2,001: cannot be read any further: " in pieces[-1].problem


# Files, and what is put aside.


def test_a_folder_is_all_its_files_by_name(tmp_path: Path) -> None:
    for name in ("b.parquet", "a.jsonl", "x/c.ndjson", "x/d.txt", "e.pq"):
        place = tmp_path / name
        place.parent.mkdir(exist_ok=True)
        place.touch()
    found = [str(Path(file).relative_to(tmp_path)) for file in session_files(str(tmp_path))]
    assert found == ["a.jsonl", "b.parquet", "e.pq", "x/c.ndjson"]
    assert session_files("nowhere.jsonl") == ["nowhere.jsonl"]
    (tmp_path / "none").mkdir()
    with pytest.raises(DocumentError, match=r"holds no sessions: files that end in \.parquet"):
        session_files(str(tmp_path / "none"))


def test_what_is_put_aside_comes_back(tmp_path: Path) -> None:
    first = Block(["s", "t"], np.array([2, 0]), np.array([5, 6], np.int32), None, {1: "bad"})
    second = Block(["s"], np.array([1]), np.array([7], np.int32), np.array([3], np.int32), {})
    aside = Aside(tmp_path / "x")
    aside.add(first)
    aside.add(second)
    aside.close()
    assert aside.rows == 6
    one, other = aside.blocks()
    assert (one.names, one.lengths.tolist(), one.actions.tolist()) == (["s", "t"], [2, 0], [5, 6])
    assert one.problems == {1: "bad"}
    assert one.clocks is not None
    assert one.clocks.tolist() == [-1, -1]
    assert other.clocks is not None
    assert (other.actions.tolist(), other.clocks.tolist()) == ([7], [3])
    assert not (tmp_path / "x").exists()
    empty = Aside(tmp_path / "y")
    empty.close()
    assert [*empty.blocks()] == []


# Results.

RESULTS = [
    Result("s", "Pass", ""),
    Result('"\\ü', "Fail", ""),
    Result("t", None, "is\nbad"),
    Result("u", "Inconc", "TimedOut"),
]


def test_a_line_of_results_is_json() -> None:
    for result in RESULTS:
        line = result_line(result, "slice")
        assert line.isascii()
        assert json.loads(line) == {**result._asdict(), "mode": "slice"}


def read_back(path: Path) -> list[Result]:
    if path.suffix == ".parquet":
        rows = pq.read_table(path).to_pylist()
    else:
        rows = [json.loads(line) for line in path.read_text("ascii").splitlines()]
    assert {row["mode"] for row in rows} <= {"slice"}
    return [Result(row["session"], row["verdict"], row["reason"]) for row in rows]


@pytest.mark.parametrize("name", ["r.jsonl", "r.parquet"])
@pytest.mark.parametrize("stopped", [0, 1, 2, 3, 5, 8])
def test_results_go_on_where_they_were_interrupted(
    tmp_path: Path, name: str, stopped: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("choreomon.sessions.results.PIECE", 3)
    path = tmp_path / name
    whole = [*RESULTS, *RESULTS]
    begun = ResultsFile(path, "slice", "q")
    for result in whole[:stopped]:
        begun.add(result)
    (begun.folder / f"{begun.done:012}.piece").write_bytes(b"torn")
    going_on = ResultsFile(path, "slice", "q")
    assert going_on.done == stopped // 3 * 3
    for result in whole[going_on.done :]:
        going_on.add(result)
    going_on.finish()
    assert read_back(path) == whole
    assert going_on.verdicts == {"Pass": 2, "Fail": 2, None: 2, "Inconc": 2}
    assert [file.name for file in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["r.jsonl", "r.parquet"])
def test_there_may_be_no_results(tmp_path: Path, name: str) -> None:
    ResultsFile(tmp_path / name, "slice", "q").finish()
    assert read_back(tmp_path / name) == []


def test_results_of_another_question_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    ResultsFile(path, "slice", "q")
    with pytest.raises(DocumentError, match="of another question: remove it, or write another"):
        ResultsFile(path, "slice", "other")
    for content in ("", "[]", "{}", '{"question": 1}'):
        (tmp_path / "r.jsonl.partial" / "question.json").write_text(content)
        with pytest.raises(DocumentError, match="remove it, or write another file"):
            ResultsFile(path, "slice", "q")
