"""Files that are there as a whole or not at all.

What is written goes to a new file beside the one that is meant, which takes its place by one rename
when all of it is there. Where that fails, on a full disk or by an interrupt, what was there before
stays, and nothing else is left. The new file has the permissions of the old one, and its owner
where the system allows that; a symbolic link stays, and what it leads to is replaced. Another hard
link to the old file keeps the old text.

Written directly is what is no regular file (devices, pipes), what is reached by way of `/dev` or
`/proc` (`/dev/stdout`, `/dev/fd/3`), and an old file in a folder that takes no new ones or that
lets it not be replaced, as one that is mounted by itself.

Not guaranteed: that a new file outlives a failure of power, where not `durable`; and nothing of
what grows while a command runs, such as logs and stores, which other modules write.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

_NO_NEW_ONES: Final = (errno.EACCES, errno.EPERM, errno.EROFS)
_NOT_REPLACED: Final = (errno.EBUSY, errno.EXDEV)
_MODE: Final = 0o666
"""The mode of a new file, of which the system takes off what the user does not want."""


def write_whole(path: Path, content: bytes) -> None:
    """Raises `OSError`, whose `filename` is the path."""
    with whole_file(path) as stream:
        stream.write(content)


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A stream whose content is the file's when the block is over; where an exception leaves the
    block, nothing is changed. Raises `OSError`, whose `filename` is the path."""
    with ExitStack() as stack:
        new = _New(path, through_links=True)
        stack.callback(new.remove)
        with new.opened(None) as stream:
            yield stream
        new.place(replace=True)


def write_together(
    contents: Mapping[Path, bytes],
    *,
    modes: Mapping[Path, int] | None = None,
    durable: bool = False,
    replace: bool = True,
    through_links: bool = True,
) -> None:
    """Write all files or, if one cannot be written, none. `modes` are permissions, which no file
    exceeds at any moment. With `durable` the content is on the disk before any file has its place;
    if the machine stops in between, some may be old. Without `replace` an existing file is never
    replaced, even one that appears meanwhile. Without `through_links` a symbolic link counts as the
    file itself.

    Raises `OSError`, whose `filename` is the path.
    """
    with ExitStack() as stack:
        made: list[_New] = []
        for path, content in contents.items():
            new = _New(path, through_links=through_links)
            stack.callback(new.remove)  # before there is one: a signal may come at any moment
            made.append(new)
            with new.opened((modes or {}).get(path)) as stream:
                stream.write(content)
                if durable:
                    stream.flush()
                    new.sync()
        placed: list[_New] = []
        try:
            for new in made:
                new.place(replace=replace)
                placed.append(new)
        except OSError:
            if not replace:
                for new in placed:
                    new.take_away()
            raise


@contextmanager
def named(path: Path | str) -> Iterator[None]:
    """Name the file in an `OSError` within the block that does not name one."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


class _New:
    """A new file, to take the place of the one at `path`: its stream is to be closed first."""

    def __init__(self, path: Path, *, through_links: bool) -> None:
        self._path = path
        self._through_links = through_links
        self._target = Path(os.path.realpath(path)) if through_links else path
        self._new: Path | None = None
        self._stream: BinaryIO | None = None

    def opened(self, mode: int | None) -> BinaryIO:
        """The stream of its content; once. Raises `OSError`."""
        path = self._path
        try:
            old = _status(path) if self._through_links or not path.is_symlink() else None
            descriptor = self._descriptor(old, mode)
        except OSError as error:
            error.filename = str(path)
            error.filename2 = None
            raise
        self._stream = io.BufferedWriter(_Stream(descriptor, path))
        return self._stream

    def _descriptor(self, old: os.stat_result | None, mode: int | None) -> int:
        target = self._target
        direct = old is not None and not stat.S_ISREG(old.st_mode)
        if not direct and not _by_way_of_system(self._path):
            if old is not None and not os.access(target, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            new = target.with_name(f".{os.urandom(8).hex()}.new")
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            self._new = new
            try:
                descriptor = os.open(new, flags, _MODE if mode is None else mode)
            except OSError as error:
                self._new = None
                if old is None or error.errno not in _NO_NEW_ONES:
                    raise
            else:
                if old is not None and mode is None:
                    with suppress(OSError):
                        os.fchown(descriptor, old.st_uid, old.st_gid)
                    with suppress(OSError):
                        os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
                return descriptor
        return os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, _MODE)

    def sync(self) -> None:
        """Waits until the disk has it."""
        with named(self._path), suppress(io.UnsupportedOperation):
            if self._new is not None:
                assert self._stream is not None
                os.fsync(self._stream.fileno())

    def place(self, *, replace: bool) -> None:
        """Raises `OSError`."""
        if self._new is None:
            return
        try:
            if replace:
                self._replace(self._new)
            else:
                self._link(self._new)
        except OSError as error:
            error.filename = str(self._path)
            error.filename2 = None
            raise

    def _replace(self, new: Path) -> None:
        try:
            os.replace(new, self._target)
        except OSError as error:
            if error.errno not in _NOT_REPLACED:
                raise
            import shutil

            shutil.copyfile(new, self._target)

    def _link(self, new: Path) -> None:
        try:
            os.link(new, self._target)  # replaces nothing
        except FileExistsError:
            raise
        except OSError:  # not every file system has links: then an empty file keeps the place
            os.close(os.open(self._target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC))
            os.replace(new, self._target)

    def remove(self) -> None:
        """Remove it, unless it has its place."""
        with suppress(OSError):
            if self._stream is not None:
                self._stream.close()
        if self._new is not None:
            with suppress(OSError):
                self._new.unlink()

    def take_away(self) -> None:
        """Remove it from its place."""
        with suppress(OSError):
            if self._new is not None:
                self._target.unlink()


class _Stream(io.FileIO):
    """A stream that names its file in errors."""

    def __init__(self, descriptor: int, path: Path) -> None:
        super().__init__(descriptor, "wb")
        self._path = path

    def write(self, data: object, /) -> int:
        with named(self._path):
            return super().write(data)  # type: ignore[arg-type]


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _by_way_of_system(path: Path) -> bool:
    """Return whether the path, or a symbolic link that it leads to, is one of `/dev` or `/proc`:
    what is open already must not be replaced, since others write to it, too."""
    for _ in range(40):  # as many links as Linux follows
        folder = os.path.realpath(path.parent)
        if folder == "/dev" or folder.startswith("/proc/"):
            return True
        try:
            path = Path(folder, os.readlink(path))
        except OSError:
            return False
    return False
