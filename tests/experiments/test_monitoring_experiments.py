"""`choreomon experiment fig7`, `fig8`, `rq4` and `all`: files, resumption, engines, errors."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from choreomon.cli.command_line.installation import install_command
from choreomon.cli.experiments import rows as experiment_rows
from choreomon.cli.experiments.rows import measured_rows
from choreomon.experiments.monitoring import grids
from choreomon.experiments.monitoring.cells import Cell, Row, measured
from choreomon.experiments.monitoring.grids import EXPERIMENTS, QUICK, grid
from choreomon.experiments.monitoring.records import COLUMNS, HEADER, line
from tests.cli.command_line import ROOT, Answer, choreomon

TINY = QUICK._replace(
    classes=("C3", "C4", "C5", "C6"),
    numbers=(2, 3),
    lengths=(2, 3, 4, 5),
    runs=2,
    verdict_runs=6,
    fig7_delays=(10,),
    fig8_delays=(0, 10),
    rq4_delays=(0, 10),
)


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grids, "QUICK", TINY)


@cache
def once(cell: Cell) -> Row:
    """What is measured of a cell, which is the same again, as another test says."""
    return measured(cell)


def experiment(*arguments: object) -> Answer:
    return choreomon("experiment", *arguments, "--quick")


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_all_of_them_end_to_end(tmp_path: Path) -> None:
    answer = experiment("all", "-o", tmp_path)
    assert answer.code == 0
    written = files(tmp_path)
    plots = {Path(name).stem for name in written if name.endswith(".svg")}
    assert plots == {Path(name).stem for name in written if name.endswith(".png")}
    assert written.keys() == {
        "all.html",
        *(f"{name}{suffix}" for name in EXPERIMENTS for suffix in (".csv", ".json")),
        *(f"{plot}{suffix}" for plot in plots for suffix in (".svg", ".png")),
    }
    assert {"fig7-messages", "fig8-memory", "fig8-waiting", "rq4-nothing"} <= plots
    assert {f"rq4-outcomes-{one.rules}" for one in grids.PULLING} <= plots
    assert answer.out.count("Paper: ") == 7
    page = written["all.html"].decode()
    assert page.count("<article>") == 7
    assert page.count("<figure") == len(plots)
    assert not re.search(r'(src|href)="(?!#)|https?://(?!www\.w3\.org)|<script', page)
    for name in EXPERIMENTS:
        table = list(csv.DictReader(written[f"{name}.csv"].decode().splitlines()))
        data = json.loads(written[f"{name}.json"])
        assert len(table) == len(data["rows"]) == len(grid(name, 0, TINY))
        assert data["columns"] == [*table[0]] == [*COLUMNS]
        assert data["seed"] == 0
        assert [row["seed"] for row in table] == [
            str(values[COLUMNS.index("seed")]) for values in data["rows"]
        ]


def test_one_of_them_alone_has_a_report_of_its_own(tmp_path: Path) -> None:
    assert experiment("rq4", "-o", tmp_path).code == 0
    assert {"rq4.html", "rq4.csv", "rq4.json"} <= files(tmp_path).keys()
    assert "1 claim of the paper" in tmp_path.joinpath("rq4.html").read_text("utf-8")


def test_without_a_folder_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = experiment("fig8", "--json")
    assert answer.code == 0
    assert files(tmp_path) == {}
    found = json.loads(answer.out)["fig8"]
    assert {claim["agreement"] for claim in found["claims"]} <= {
        "as the paper says",
        "partly",
        "not as the paper says",
    }
    assert len(found["fits"]) == 4 * len(grids.PULLING)
    assert found["wrong"] == 0
    assert [row["runs"] for row in found["summary"]] == [8] * 2 * len(grids.VARIANTS)


def test_the_same_seed_twice_gives_the_same_files_and_another_one_others(tmp_path: Path) -> None:
    for folder, seed in (("one", 5), ("two", 5), ("other", 6)):
        assert experiment("fig7", "--seed", seed, "-o", tmp_path / folder).code == 0
    one, two, other = (files(tmp_path / name) for name in ("one", "two", "other"))
    assert one == two
    assert one["fig7.csv"] != other["fig7.csv"]
    assert b'"seed": 5,' in one["fig7.json"]


def test_several_jobs_give_the_same_files(tmp_path: Path) -> None:
    assert experiment("fig8", "-o", tmp_path / "one").code == 0
    assert experiment("fig8", "--jobs", 2, "-o", tmp_path / "two").code == 0
    assert files(tmp_path / "one") == files(tmp_path / "two")


@pytest.mark.skipif(find_spec("ray") is None, reason="ray is not installed: pip install -e .[ray]")
def test_a_ray_cluster_gives_the_same_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a process of its own: what ray leaves in one is not ours."""
    monkeypatch.setattr(grids, "QUICK", QUICK)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    assert experiment("fig8", "-o", tmp_path / "here").code == 0
    command = ("experiment", "fig8", "--quick", "--engine", "ray", "--jobs", "2", "--json")
    there = subprocess.run(
        [sys.executable, "-m", "choreomon", *command, "-o", str(tmp_path / "there")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert there.returncode == 0, there.stderr
    json.loads(there.stdout)
    assert files(tmp_path / "here") == files(tmp_path / "there")


def test_without_ray_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    answer = experiment("fig8", "--engine", "ray")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == f"a Ray cluster needs ray: {install_command('ray')}\n"


# A run that is interrupted goes on.


def interrupted_after(number: int, cells: Sequence[Cell]) -> Iterator[Row]:
    for done, cell in enumerate(cells):
        if done == number:
            raise KeyboardInterrupt
        yield once(cell)


@pytest.mark.parametrize("number", [0, 1, 9])
@pytest.mark.parametrize("torn", ["", "fig8,C6,3,", "\n"])
def test_a_resumed_run_is_as_one_that_was_not_interrupted(
    tmp_path: Path, number: int, torn: str
) -> None:
    cells = grid("fig8", 0, TINY)
    path = tmp_path / "fig8.csv"
    with pytest.raises(KeyboardInterrupt):
        list(measured_rows(path, cells, lambda left: interrupted_after(number, left)))
    assert path.read_text("ascii").count("\n") == 1 + number
    if torn != "\n":
        with path.open("a", encoding="ascii") as file:
            file.write(torn)
    asked: list[Cell] = []

    def results(left: Sequence[Cell]) -> Iterator[Row]:
        asked.extend(left)
        return map(once, left)

    rows = list(measured_rows(path, cells, results))
    assert asked == [*cells[number:]]
    assert rows == list(map(once, cells))
    assert path.read_text("ascii") == "".join(f"{each}\n" for each in (HEADER, *map(line, rows)))


def test_a_complete_folder_is_not_measured_again_and_its_files_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert experiment("fig8", "-o", tmp_path).code == 0
    before = files(tmp_path)
    times: list[Cell] = []

    def noted(cell: Cell) -> Row:
        times.append(cell)
        return measured(cell)

    monkeypatch.setattr("choreomon.experiments.monitoring.cells.measured", noted)
    assert experiment("fig8", "-o", tmp_path).code == 0
    assert files(tmp_path) == before
    assert times == [grid("fig8", 0, TINY)[-1]]  # whether it still comes out so


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda text: text.replace(",10,0,", ",10,1,"), "is of another grid or seed, with seed"),
        (lambda text: text.replace("experiment", "name", 1), "fig8.csv:1: has other columns"),
        (lambda text: text + "fig8,C6\n", "is of a larger grid"),
        (lambda text: text.replace("C6", "C6,C7", 1), "fig8.csv:2: is no row"),
        (
            lambda text: re.sub(r"nothing\n$|possible\n$|violated\n$", "gone\n", text),
            "comes out diff",
        ),
        (lambda text: text + "\xe9\n", "cannot be read"),
    ],
)
def test_a_file_of_something_else_is_refused_and_left_alone(
    tmp_path: Path, change: object, told: str
) -> None:
    path = tmp_path / "fig8.csv"
    list(measured_rows(path, grid("fig8", 0, TINY), lambda left: map(once, left)))
    changed = change(path.read_text("ascii"))  # type: ignore[operator]
    path.write_text(changed, "utf-8")
    answer = experiment("fig8", "-o", tmp_path)
    assert answer.code == 2
    assert told in answer.err
    assert path.read_text("utf-8") == changed


def test_all_files_are_looked_at_before_anything_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.joinpath("rq4.csv").write_text("else\n")
    monkeypatch.setattr("choreomon.experiments.monitoring.cells.measured", None)
    assert "rq4.csv:1: has other columns" in experiment("all", "-o", tmp_path).err
    assert files(tmp_path).keys() == {"rq4.csv"}


def test_a_wrong_verdict_makes_the_exit_code_1(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(cell: Cell) -> Row:
        found = measured(cell)
        return found._replace(measured=found.measured._replace(missed=1))

    monkeypatch.setattr("choreomon.experiments.monitoring.cells.measured", wrong)
    assert experiment("fig8").code == 1


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    tmp_path.joinpath("file").write_text("")
    answer = experiment("fig8", "-o", tmp_path / "file" / "folder")
    assert answer.code == 2
    assert "cannot be made" in answer.err


def test_rows_are_written_as_they_come(tmp_path: Path) -> None:
    """So that a process that is killed loses none that it was given."""
    cells = grid("fig8", 0, TINY)[:3]
    path = tmp_path / "rows.csv"
    rows = experiment_rows.measured_rows(path, cells, lambda left: map(once, left))
    for number, row in enumerate(rows, start=1):
        assert path.read_text("ascii").split("\n")[number] == line(row)
