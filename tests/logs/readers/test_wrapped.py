"""Lines as container runtimes keep them are read as what programs printed."""

from __future__ import annotations

import io
import json
from random import Random

import pytest

from choreomon.core.errors import DocumentError
from choreomon.core.recorded import RecordedEvent
from choreomon.logs.readers.lines import Log
from choreomon.logs.readers.reading import read_recorded
from choreomon.logs.readers.wrapped import cri, docker, wrapping_of

TIME = "2026-01-31T12:00:00.123456789Z"


def in_docker(text: str, cut: int) -> list[str]:
    """Each line in pieces of at most so many characters."""
    lines = []
    for line in text.splitlines(keepends=True):
        pieces = [line[at : at + cut] for at in range(0, len(line), cut)]
        lines += [json.dumps({"log": each, "stream": "stdout", "time": TIME}) for each in pieces]
    return lines


def in_cri(text: str, cut: int) -> list[str]:
    lines = []
    for line in text.splitlines():
        pieces = [line[at : at + cut] for at in range(0, len(line), cut)] or [""]
        lines += [f"{TIME} stdout P {each}" for each in pieces[:-1]]
        lines.append(f"{TIME} stderr F {pieces[-1]}")
    return lines


WRAP = pytest.mark.parametrize("wrap", [in_docker, in_cri])


def text(random: Random) -> str:
    events = []
    for number in range(random.randint(1, 30)):
        name = "x" * random.randint(1, 60)
        event = {"event": "local", "process": f"p\u00e9{number % 2}", "name": name}
        events.append(json.dumps(event, ensure_ascii=False))
    return "\n".join(events) + "\n"


def content(lines: list[str]) -> io.BytesIO:
    return io.BytesIO(("\n".join(lines) + "\n").encode())


@WRAP
@pytest.mark.parametrize("seed", range(40))
def test_lines_are_what_was_printed_and_keep_their_numbers(wrap: object, seed: int) -> None:
    assert callable(wrap)
    random = Random(seed)
    printed = text(random)
    wrapped = wrap(printed, random.choice([7, 50, 10_000]))
    log = Log(content(wrapped), "log")
    assert log.wrapped
    read = [*log.lines()]
    assert len(read) == len(wrapped)
    assert [each.decode() for each in read if each.strip()] == printed.splitlines(keepends=True)


@WRAP
def test_events_are_found_with_the_line_that_ends_them(wrap: object) -> None:
    assert callable(wrap)
    message = {"sender": "a", "name": "m", "receiver": "b"}
    line = json.dumps({"event": "send", "process": "a", "message": message}) + "\n"
    wrapped = wrap(line * 2, 50)
    found = [*read_recorded(content(wrapped), file="log")]
    assert all(isinstance(each, RecordedEvent) for each in found)
    assert [each.place.line for each in found] == [len(wrapped) // 2, len(wrapped)]
    assert [each.name for each in found if isinstance(each, RecordedEvent)] == ["m", "m"]


@WRAP
def test_text_with_clocks_is_read_in_pieces(wrap: object) -> None:
    assert callable(wrap)
    printed = 'a {"a":1}\nbegins\nb {"b":1}\nbegins, too\n'
    found = [*read_recorded(content(wrap(printed, 10_000)), file="log")]
    assert [(each.process, each.name) for each in found if isinstance(each, RecordedEvent)] == [
        *(("a", "begins"), ("b", "begins, too")),
    ]


def test_what_is_not_wrapped_stays_as_it_is() -> None:
    for line in (
        b"",
        b"{}",
        b'{"log": "x"}',
        b'{"log":"x","stream":"s","time":"t","more":1}',
        b"2026",
    ):
        assert wrapping_of(line) is None
    mixed = [*in_docker("one\n", 100), "a line of the runtime itself", *in_docker("two\n", 100)]
    assert [*Log(content(mixed), "log").lines()] == [
        *(b"one\n", b"a line of the runtime itself\n", b"two\n"),
    ]


def test_the_last_piece_of_a_log_that_was_cut_off_is_read() -> None:
    wrapped = in_cri("one\ntwo and more\n", 5)[:-1]
    assert [*Log(content(wrapped), "log").lines()] == [b"one\n", b"\n", b"\n", b"two and mo"]


def test_a_line_of_many_pieces_is_bounded() -> None:
    wrapped = in_cri("x" * 300 + "\n", 10)
    with pytest.raises(DocumentError, match="is longer than 100 bytes"):
        list(Log(content(wrapped), "log", max_line=100).lines())


def test_what_is_in_a_line() -> None:
    assert cri(f"{TIME} stdout F\n".encode()) == (b"", True)
    assert cri(b"2026-01-31T12:00:00+01:00 stderr P part of it\r\n") == (b"part of it", False)
    assert cri(b"2026-01-31 stdout F x") is None
    whole = json.dumps({"log": "x\n", "stream": "stdout", "attrs": {"tag": "t"}, "time": TIME})
    assert docker(whole.encode()) == (b"x", True)
