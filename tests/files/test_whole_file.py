"""Files are there as a whole or not at all, whatever comes between."""

from __future__ import annotations

import errno
import os
import resource
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from choreomon.files.whole_file import named, whole_file, write_together, write_whole

LARGE = b"x" * 100_000


@contextmanager
def full_disk(room: int) -> Iterator[None]:
    """No file may have more bytes: as on a full disk, writing fails in the middle."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def test_a_file_is_replaced_with_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    write_whole(path, b"old")
    path.chmod(0o640)
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert names(tmp_path) == ["page.html"]


def test_a_new_file_has_the_permissions_that_the_user_wants(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "new", b"")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


def test_a_full_disk_leaves_what_was_there_and_the_error_names_the_file(tmp_path: Path) -> None:
    path, other = tmp_path / "page.html", tmp_path / "new.html"
    path.write_bytes(b"old")
    for one in (path, other):
        with full_disk(1000), pytest.raises(OSError, match="too large") as error:
            write_whole(one, LARGE)
        assert error.value.filename == str(one)
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["page.html"]


def test_of_several_files_none_is_written_where_one_cannot_be(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_bytes(b"old")
    with full_disk(1000), pytest.raises(OSError, match="too large") as error:
        write_together({first: b"new", second: LARGE})
    assert error.value.filename == str(second)
    assert first.read_bytes() == b"old"
    write_together({first: b"new", second: LARGE}, modes={second: 0o600}, durable=True)
    assert (first.read_bytes(), second.read_bytes()) == (b"new", LARGE)
    assert stat.S_IMODE(second.stat().st_mode) == 0o600
    assert names(tmp_path) == ["a", "b"]


def test_without_replace_what_is_there_stays_and_nothing_is_added(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    second.write_bytes(b"old")
    with pytest.raises(FileExistsError) as error:
        write_together({first: b"new", second: b"new"}, replace=False)
    assert error.value.filename == str(second)
    assert (names(tmp_path), second.read_bytes()) == (["b"], b"old")


def test_an_interrupt_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_bytes(b"old")

    def interrupted() -> None:
        with whole_file(path) as stream:
            stream.write(LARGE)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert (names(tmp_path), path.read_bytes()) == (["trace.jsonl"], b"old")


def test_a_symbolic_link_stays_and_leads_to_the_new_text(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "real").write_bytes(b"old")
    link, dangling = tmp_path / "link", tmp_path / "dangling"
    link.symlink_to(folder / "real")
    dangling.symlink_to("folder/later")
    write_whole(link, b"new")
    write_whole(dangling, b"new")
    assert (folder / "real").read_bytes() == (folder / "later").read_bytes() == b"new"
    assert link.is_symlink()
    assert dangling.is_symlink()
    assert names(folder) == ["later", "real"]


def test_a_link_may_be_what_is_there(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("real")
    with pytest.raises(FileExistsError):
        write_together({link: b"new"}, replace=False, through_links=False)
    write_together({link: b"new"}, through_links=False)
    assert (names(tmp_path), link.is_symlink()) == (["link"], False)


def test_what_is_open_already_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    """As `/dev/stdout`, where a shell sends it to a file."""
    path = tmp_path / "out"
    link = tmp_path / "link"
    with path.open("wb") as out:
        write_whole(Path(f"/dev/fd/{out.fileno()}"), b"one")
        out.seek(0, os.SEEK_END)
        out.write(b", two")
        out.flush()
        link.symlink_to(f"/proc/self/fd/{out.fileno()}")
        assert path.read_bytes() == b"one, two"
        write_whole(link, b"three")
    assert path.read_bytes() == b"three"
    assert names(tmp_path) == ["link", "out"]


def test_devices_and_pipes_are_written_directly(tmp_path: Path) -> None:
    write_whole(Path(os.devnull), b"gone")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_whole(pipe, b"through")
    assert os.read(reading, 100) == b"through"
    os.close(reading)
    assert names(tmp_path) == ["pipe"]
    with pytest.raises(OSError, match="No space left") as error:
        write_whole(Path("/dev/full"), b"x")
    assert error.value.filename == "/dev/full"


@pytest.mark.parametrize(
    ("place", "number"),
    [("", errno.EISDIR), ("nowhere/x", errno.ENOENT), ("file/x", errno.ENOTDIR)],
)
def test_what_cannot_be_written_is_named(tmp_path: Path, place: str, number: int) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OSError, match=os.strerror(number)) as error:
        write_whole(tmp_path / place, b"x")
    assert (error.value.errno, error.value.filename) == (number, str(tmp_path / place))


def failing(number: int) -> object:
    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    return fail


def test_what_may_not_be_written_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rights of its folder would allow it."""
    path = tmp_path / "kept"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everything
    with pytest.raises(PermissionError) as error:
        write_whole(path, b"new")
    assert (error.value.filename, path.read_bytes()) == (str(path), b"old")


def test_an_old_file_in_a_folder_that_takes_no_new_ones_is_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mounted"
    path.write_bytes(b"old")
    opened = os.open

    def refusing(path: str, flags: int, mode: int = 0o777) -> int:
        if flags & os.O_EXCL:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return opened(path, flags, mode)

    monkeypatch.setattr(os, "open", refusing)
    write_whole(path, b"new")
    with pytest.raises(OSError, match="Read-only") as error:
        write_whole(tmp_path / "other", b"new")
    assert error.value.filename == str(tmp_path / "other")
    assert (path.read_bytes(), names(tmp_path)) == (b"new", ["mounted"])


def test_a_file_that_is_mounted_by_itself_gets_the_new_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mounted"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "replace", failing(errno.EBUSY))
    write_whole(path, b"new")
    assert (path.read_bytes(), names(tmp_path)) == (b"new", ["mounted"])


def test_a_file_system_without_links_is_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "link", failing(errno.EPERM))
    write_together({tmp_path / "a": b"new"}, replace=False)
    assert ((tmp_path / "a").read_bytes(), names(tmp_path)) == (b"new", ["a"])
    with pytest.raises(FileExistsError):
        write_together({tmp_path / "a": b"newer"}, replace=False)
    assert ((tmp_path / "a").read_bytes(), names(tmp_path)) == (b"new", ["a"])


def test_an_error_gets_the_name_that_it_lacks() -> None:
    def fail(*filename: str) -> None:
        with named("mine"):
            raise OSError(errno.ENOSPC, "full", *filename)

    with pytest.raises(OSError, match="full") as error:
        fail()
    assert error.value.filename == "mine"
    with pytest.raises(OSError, match="full") as error:
        fail("its own")
    assert error.value.filename == "its own"
