"""Lines of files of any length."""

from __future__ import annotations

from io import BytesIO

import pytest

from choreomon.core.recorded import Diagnostic
from choreomon.formats.recorded import lines
from choreomon.formats.recorded.lines import lines_of
from choreomon.formats.recorded.own_events import own_events


@pytest.mark.parametrize("block", [1, 2, 3, 100])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"", []),
        (b"a\nbc\n", [b"a", b"bc"]),
        (b"a\n\nbc", [b"a", b"", b"bc"]),
        (b"\n", [b""]),
    ],
)
def test_lines_are_those_of_the_file(
    monkeypatch: pytest.MonkeyPatch, block: int, text: bytes, expected: list[bytes]
) -> None:
    monkeypatch.setattr(lines, "BLOCK", block)
    assert list(lines_of(BytesIO(text))) == expected


def test_a_line_that_is_too_long_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "BLOCK", 4)
    monkeypatch.setattr(lines, "LONGEST", 6)
    assert list(lines_of(BytesIO(b"x" * 50 + b"\nyy\n"))) == [b"x" * 6, b"yy"]


def test_of_a_growing_file_whole_lines_are_read() -> None:
    class Growing:
        """A block at a time, and now and then none."""

        def __init__(self, *blocks: bytes) -> None:
            self.blocks = list(blocks)

        def read(self, size: int, /) -> bytes:
            return self.blocks.pop(0)

    read = lines_of(Growing(b"a\nb", b"", b"c\n", b""), growing=True)
    assert [next(read) for _ in range(4)] == [b"a", None, b"bc", None]


def test_an_event_at_the_wrong_end_is_not_understood() -> None:
    wrong = b'{"event":"send","process":"b","message":{"sender":"a","name":"m","receiver":"b"}}'
    (found,) = own_events([wrong], "log")
    assert isinstance(found, Diagnostic)
    assert found.message == "a send of this message happens at a, not b"
