"""Files are read up to a limit, which the environment raises."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from choreomon.core.errors import DocumentError
from choreomon.documents.interactions import load_interaction
from choreomon.experiments.case_files import subjects_of
from choreomon.files import input_files
from choreomon.files.input_files import (
    LINE,
    MIB,
    PIECES,
    TEXT,
    VARIABLE,
    WHOLE,
    beginning,
    lines,
    pieces,
    whole,
)
from choreomon.interaction_files.loading import load_multi_trace
from choreomon.logs.readers.reading import read_recorded
from tests.scenarios.console_blocks import ROOT


@pytest.fixture(name="file")
def _file(tmp_path: Path) -> Path:
    file = tmp_path / "file"
    file.write_bytes(b"ab\ncdef\n")
    return file


def refused(file: Path, most: int) -> str:
    with pytest.raises(DocumentError) as wrong:
        whole(file, most)
    return str(wrong.value)


def test_a_file_is_read_up_to_its_limit(file: Path) -> None:
    assert whole(file, 8) == b"ab\ncdef\n"
    assert refused(file, 7) == (
        f"{file}: is larger than 7 bytes, the most that is read of such a file; if it is the right "
        "file, CHOREOMON_MAX_MIB=N in the environment allows N MiB"
    )
    assert beginning(file, 2) == b"ab"


def test_pieces_end_at_the_limit(file: Path) -> None:
    assert [*pieces(file, 3, 8)] == [b"ab\n", b"cde", b"f\n"]
    read = pieces(file, 3, 7)
    assert [next(read), next(read)] == [b"ab\n", b"cde"]
    with pytest.raises(DocumentError, match="is larger than 7 bytes"):
        next(read)


def test_a_line_has_a_limit_and_their_number_none(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(input_files, "LINE", 5)
    assert [*lines(file)] == [b"ab\n", b"cdef\n"]
    monkeypatch.setattr(input_files, "LINE", 4)
    read = lines(file)
    assert next(read) == b"ab\n"
    with pytest.raises(DocumentError, match=r"file:2: is longer than 4 bytes, the most .* line"):
        next(read)


def test_the_environment_raises_limits_and_lowers_none(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_bytes(bytes(2 * MIB))
    monkeypatch.setenv(VARIABLE, "2")
    assert len(whole(file, 10)) == 2 * MIB
    assert input_files.limit(WHOLE) == WHOLE
    monkeypatch.setenv(VARIABLE, "1")
    assert "is larger than 1 MiB" in refused(file, 10)


@pytest.mark.parametrize("said", ["-1", "much", "1.5", "1" * 20, "²"])
def test_what_the_environment_says_is_checked(
    file: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    monkeypatch.setenv(VARIABLE, said)
    assert refused(file, 100) == (
        f"CHOREOMON_MAX_MIB: should be a whole number of MiB, not {said!r}"
    )


def test_readers_take_what_the_environment_allows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log.jsonl"
    name = "x" * LINE
    log.write_text(
        f'{{"event":"send","process":"a","message":{{"sender":"a","name":"{name}","receiver":"b"}}'
        "}\n",
        encoding="ascii",
    )
    with pytest.raises(DocumentError, match=r"log.jsonl:1: is longer than 16 MiB"):
        [*read_recorded(log)]
    monkeypatch.setenv(VARIABLE, "17")
    assert len([*read_recorded(log)]) == 1

    interaction = tmp_path / "large.hif"
    interaction.write_text("a -- m -> b" + " " * TEXT, encoding="ascii")
    assert str(load_interaction(interaction)) == str(_small(tmp_path))
    monkeypatch.delenv(VARIABLE)
    with pytest.raises(DocumentError, match=r"large.hif: is larger than 16 MiB"):
        load_interaction(interaction)


def _small(place: Path) -> object:
    place.joinpath("small.hif").write_text("a -- m -> b", encoding="ascii")
    return load_interaction(place / "small.hif")


def test_what_is_packed_is_unpacked_up_to_the_limit(tmp_path: Path) -> None:
    packed = tmp_path / "cases.jsonl.xz"
    packed.write_bytes(lzma.compress(bytes(WHOLE + 1), preset=0))
    assert packed.stat().st_size < 100_000
    with pytest.raises(DocumentError, match=r"cases.jsonl.xz: is larger than 64 MiB"):
        subjects_of(packed)
    packed.write_bytes(packed.read_bytes()[:1000])
    with pytest.raises(DocumentError, match="cannot be unpacked"):
        subjects_of(packed)


def test_bytes_that_are_cut_in_two_pieces_are_read(tmp_path: Path) -> None:
    """A byte order mark, and a letter of two bytes at the end of a piece."""
    file = tmp_path / "long.htf"
    piece = "// " + "\u00e4" * 65_600 + "\n"
    file.write_text("\ufeff" + piece + "{[a] a!m}", encoding="utf-8")
    assert len(load_multi_trace(file).components[0].actions) == 1
    file.write_bytes(b"// " + bytes([0xC3]) + b"\n" * 70_000 + b"{[a] a!m}")
    with pytest.raises(DocumentError, match="is not UTF-8"):
        load_multi_trace(file)


def test_the_limits_are_documented() -> None:
    said = (ROOT / "docs" / "documents.md").read_text(encoding="utf-8").split("## Limits")[1]
    for limit in (TEXT, WHOLE, PIECES, LINE):
        assert f"| {limit // MIB:,} MiB * |" in said
    assert VARIABLE in said
