"""`make laws`: rounds that follow from their number, added to what the tally has."""

from __future__ import annotations

from itertools import islice
from math import inf
from pathlib import Path

import pytest

from tests.laws import families, night, planted
from tests.laws.families import FAMILIES
from tests.laws.small_systems import Scope, systems


@pytest.fixture(autouse=True)
def short_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten runs of one family, and two systems, of which there are not many."""
    overtaken = [family for family in FAMILIES if family.name == "overtaken"]
    monkeypatch.setattr(night, "FAMILIES", overtaken)
    monkeypatch.setattr(night, "SCOPES", (Scope("AB", 3, 2, 4), Scope("AB", 3, 3, 3)))
    monkeypatch.setattr(night, "RUNS", {"monitors": 10, "agents": 1})
    monkeypatch.setattr(night, "SYSTEMS", 2)
    every = night.rounds
    monkeypatch.setattr(night, "rounds", lambda *given: islice(every(*given), 2))
    night._cursor.cache_clear()


def counted(done: night.Done) -> dict[str, dict[str, int]]:
    return {
        name: {what: n for what, n in seen.items() if what != "milliseconds"}
        for name, seen in done.tally.items()
    }


def test_a_round_follows_from_its_number() -> None:
    found = [counted(done) for done in night.rounds(0, inf, 1)]
    assert found[0] != found[1]
    assert found[0]["overtaken"]["runs"] == 10
    assert counted(night.a_round(1)) == found[1]
    assert counted(night.a_round(0)) == found[0]


def test_rounds_of_two_processes_are_those_of_one() -> None:
    one, two = ([counted(done) for done in night.rounds(0, inf, jobs)] for jobs in (1, 2))
    assert one == two


def test_after_the_last_system_there_are_runs_alone() -> None:
    every = [small for scope in night.SCOPES for small in systems(scope)]
    taken = [small for number in range(20) for _, _, small in night._systems_of(number)]
    assert taken == every


def test_a_page_goes_on_where_the_tally_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, tally = tmp_path / "laws.md", tmp_path / "laws.json"
    given = ["night", "--seconds", "60", "--write", str(written), "--tally", str(tally)]
    monkeypatch.setattr("sys.argv", [*given, "--seed", "3"])
    assert night.main() == 0
    assert "Rounds 3 to 4:" in written.read_text(encoding="utf-8")
    monkeypatch.setattr("sys.argv", given)
    assert night.main() == 0
    page = written.read_text(encoding="utf-8")
    assert "Rounds 3 to 6:" in page
    assert "| overtaken | 40 |" in page
    assert page.endswith("## Wrong\n\nNothing.\n")


def test_what_is_wrong_is_named_with_how_to_see_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(families.RULES, "precise", planted.CutsEvidence())
    written = tmp_path / "laws.md"
    given = ["night", "--seed", "95", "--write", str(written), "--tally", str(tmp_path / "t")]
    monkeypatch.setattr("sys.argv", given)
    assert night.main() == 1
    assert "- --again 'overtaken' 953: " in written.read_text(encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["night", "--again", "overtaken", "953"])
    assert night.main() == 1
