from __future__ import annotations

from pathlib import Path

from choreomon.core.recorded import Place
from choreomon.files.lines_at import LONGEST, lines_at


def test_the_lines_at_places_are_read_and_others_are_left_out(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text(f"first\n  second \n{'x' * 1000}\n", encoding="utf-8")
    name = str(log)
    wanted = [Place(name, 2), Place(name, 3), Place(name, 9), Place(name, 0)]
    assert lines_at(wanted) == {Place(name, 2): "second", Place(name, 3): "x" * LONGEST + "…"}


def test_what_cannot_be_read_as_text_has_no_lines(tmp_path: Path) -> None:
    odd = tmp_path / "odd.log"
    odd.write_bytes(b"\xff\xfe\n")
    places = [Place(str(odd), 1), Place(str(tmp_path), 1), Place("no such file", 1), Place("-", 1)]
    assert lines_at(places) == {}
    assert lines_at([Place("a\0b", 1)]) == {}
