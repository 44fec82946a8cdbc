"""Compressed files are read as what is in them, and damaged ones refused in words."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from choreomon.files import compressed
from choreomon.files.compressed import compression_of, is_compressed, unpacked

zstd = pytest.importorskip("backports.zstd", reason="no Zstandard: pip install 'choreomon[zstd]'")

PACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstd.compress,
}
KINDS = pytest.mark.parametrize("kind", [*PACK])


class Trickling(io.RawIOBase):
    """Gives a few bytes at a time, as a pipe may."""

    def __init__(self, content: bytes, seed: int) -> None:
        self._content = io.BytesIO(content)
        self._random = Random(seed)

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        return self._content.read(min(size, self._random.randint(1, 7)))


def content(seed: int) -> bytes:
    random = Random(seed)
    lines = [f"line {random.getrandbits(40)}" for _ in range(random.choice([0, 1, 7, 20_000]))]
    return "\n".join(lines).encode()


@KINDS
@pytest.mark.parametrize("seed", range(8))
def test_what_was_packed_is_read_also_where_parts_follow_each_other(kind: str, seed: int) -> None:
    one, other = content(seed), content(seed + 100)
    packed = PACK[kind](one) + PACK[kind](other)
    assert compression_of(packed) == kind
    assert unpacked(io.BytesIO(packed)).read() == one + other
    few = PACK[kind](one[:999])
    assert unpacked(Trickling(few, seed)).read() == one[:999]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "plain", [b"", b"B", b"BZ", b"\x1f", b'{"a": 1}\n' * 50_000, b"\xfd7zXY\x00"]
)
def test_what_is_not_compressed_stays_as_it_is(plain: bytes) -> None:
    assert compression_of(plain) is None
    assert unpacked(io.BytesIO(plain)).read() == plain


def test_padding_after_xz_is_none_of_it() -> None:
    packed = lzma.compress(b"a") + b"\0" * 8 + lzma.compress(b"b") + b"\0" * 4
    assert unpacked(io.BytesIO(packed)).read() == b"ab"


@KINDS
def test_what_is_cut_off_is_read_up_to_there_and_told(kind: str) -> None:
    whole = content(3)
    packed = PACK[kind](whole)
    stream = unpacked(io.BytesIO(packed[: len(packed) - 40]))
    read = bytearray()
    with pytest.raises(OSError, match=f"its {kind} data are cut off: unpack what is there"):
        read.extend(iter(lambda: stream.read(1)[0], None))
    assert whole.startswith(bytes(read))


@KINDS
@pytest.mark.parametrize("seed", range(30))
def test_what_is_damaged_is_told_or_is_what_it_was(kind: str, seed: int) -> None:
    random = Random(seed)
    whole = content(7)
    packed = bytearray(PACK[kind](whole or b"some content"))
    for _ in range(3):
        packed[random.randrange(7, len(packed))] = random.randrange(256)
    packed += bytes(random.randrange(256) for _ in range(random.choice([0, 9])))
    try:
        unpacked(io.BytesIO(bytes(packed))).read()
    except OSError as error:
        assert str(error).startswith(f"its {kind} data are ")  # noqa: PT017


def test_xz_that_needs_too_much_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = lzma.compress(b"a" * 100)
    assert unpacked(io.BytesIO(packed)).read() == b"a" * 100
    monkeypatch.setattr(compressed, "MOST_MEMORY", 1 << 16)
    with pytest.raises(OSError, match="its xz data are damaged: Memory usage limit"):
        unpacked(io.BytesIO(packed)).read()


def test_without_zstandard_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(compressed, "import_module", none)
    with pytest.raises(OSError, match="install choreomon with the extra zstd, or unpack it"):
        unpacked(io.BytesIO(zstd.compress(b"a")))


def test_what_is_no_file_is_not_compressed(tmp_path: Path) -> None:
    file = tmp_path / "a.log"
    file.write_bytes(gzip.compress(b"a"))
    assert is_compressed(str(file))
    file.write_bytes(b"a")
    assert not is_compressed(str(file))
    assert not is_compressed(str(tmp_path))
    assert not is_compressed(str(tmp_path / "none"))
