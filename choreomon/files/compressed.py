"""Compressed files, read as what is in them: gzip, bzip2, xz and Zstandard, told by how they begin.

What is read is bounded by whoever reads it, as a small file may hold any number of lines. Zstandard
needs Python 3.14, or the extra `zstd`.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, Protocol, TypeAlias, cast

Compression: TypeAlias = Literal["gzip", "bzip2", "xz", "zstd"]

_BEGINNINGS: Final[dict[bytes, Compression]] = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}
BEGINNING: Final = max(map(len, _BEGINNINGS))
"""Bytes by which a compressed file is told."""

MOST_MEMORY: Final = 256 << 20
"""Bytes that unpacking xz may need; that of `xz -9` needs 65 MiB."""

_AT_ONCE: Final = 1 << 16


def compression_of(head: bytes) -> Compression | None:
    """Return how a file is compressed that begins so; None if it is not."""
    return next((kind for begin, kind in _BEGINNINGS.items() if head.startswith(begin)), None)


def is_compressed(path: str) -> bool:
    """Return whether there is a file at this path that is compressed. A pipe is not examined."""
    if not Path(path).is_file():
        return False
    try:
        with open(path, "rb") as stream:
            return compression_of(stream.read(BEGINNING)) is not None
    except OSError:
        return False


def unpacked(stream: BinaryIO) -> BinaryIO:
    """Return the stream, or if it is compressed, what is in it. Neither is to be closed.

    Reading raises OSError where data are damaged or cut off, and where nothing here unpacks them.
    """
    head = b""
    while len(head) < BEGINNING and (piece := stream.read(BEGINNING - len(head))):
        head += piece
    whole = cast(BinaryIO, io.BufferedReader(Again(head, stream), _AT_ONCE))
    kind = compression_of(head)
    if kind is None:
        return whole
    source = gzip.GzipFile(fileobj=whole) if kind == "gzip" else _Members(whole, _MAKERS[kind]())
    return cast(BinaryIO, io.BufferedReader(_Told(cast(BinaryIO, source), kind), _AT_ONCE))


class _Decompressor(Protocol):
    """The common interface of `bz2`, `lzma` and Zstandard."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /, max_length: int = -1) -> bytes: ...


_Maker: TypeAlias = Callable[[], _Decompressor]


def _zstd() -> tuple[_Maker, type[Exception]]:
    """Return what unpacks Zstandard, and what it raises. Raises OSError where there is none."""
    for name in ("compression.zstd", "backports.zstd"):
        try:
            module = import_module(name)
        except ImportError:
            continue
        return module.ZstdDecompressor, module.ZstdError
    raise OSError(
        "it is compressed by Zstandard: install choreomon with the extra zstd, or unpack it"
    )


_MAKERS: Final[dict[Compression, Callable[[], _Maker]]] = {
    "bzip2": lambda: bz2.BZ2Decompressor,
    "xz": lambda: lambda: lzma.LZMADecompressor(memlimit=MOST_MEMORY),
    "zstd": lambda: _zstd()[0],
}


class Again(io.RawIOBase):
    """A stream whose beginning was read before, from its beginning."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head = head
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._head[: len(buffer)] or self._rest.read(len(buffer))
        self._head = self._head[len(piece) :]
        buffer[: len(piece)] = piece
        return len(piece)


class _Members(io.RawIOBase):
    """The content of consecutive compressed streams, as programs that append write them."""

    def __init__(self, source: BinaryIO, make: _Maker) -> None:
        self._source = source
        self._make = make
        self._reader: _Decompressor | None = make()
        self._left = b""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        found = b""
        while not found:
            if self._reader is None:
                begin = self._left or self._source.read(_AT_ONCE)
                if not begin:
                    return b""
                self._left = begin.lstrip(b"\0")  # xz pads with them
                self._reader = self._make() if self._left else None
                continue
            if self._reader.needs_input and not self._left:
                self._left = self._source.read(_AT_ONCE)
                if not self._left:
                    raise EOFError
            data, self._left = self._left, b""
            found = self._reader.decompress(data, size)
            if self._reader.eof:
                self._left = self._reader.unused_data
                self._reader = None
        return found


class _Told(io.RawIOBase):
    """Says in words what is wrong with compressed data."""

    def __init__(self, source: BinaryIO, kind: Compression) -> None:
        self._source = source
        self._kind = kind

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            piece = self._source.read(len(buffer))
        except EOFError:
            raise OSError(f"its {self._kind} data are cut off: unpack what is there") from None
        except OSError as error:
            raise OSError(f"its {self._kind} data are damaged: {error}") from None
        except Exception as error:
            if not isinstance(error, (zlib.error, lzma.LZMAError, *_errors_of(self._kind))):
                raise
            raise OSError(f"its {self._kind} data are damaged: {error}") from None
        buffer[: len(piece)] = piece
        return len(piece)


def _errors_of(kind: Compression) -> tuple[type[Exception], ...]:
    return (_zstd()[1],) if kind == "zstd" else ()
