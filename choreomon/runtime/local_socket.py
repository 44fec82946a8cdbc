"""Local sockets at which services connect: a Unix socket in a folder that nobody else can enter, or
a port on loopback with a token.

A Unix socket is as private as its folder: mode 0700, or 0750 where the owner's group is let in.
"""

from __future__ import annotations

import errno
import os
import socket
import stat
from pathlib import Path
from typing import Final

from choreomon.agent_files.addresses import HERE, Address
from choreomon.core.errors import DocumentError, Problem

BACKLOG: Final = 128
MAX_TOKEN: Final = 256
MIN_TOKEN: Final = 16
"""Characters; whoever is on the machine may try shorter ones until one is right."""


def listen_unix(path: Path, *, group: bool) -> socket.socket:
    """Listen at `path`. The folder is made where it is missing; what an agent that is gone left
    there is removed.

    Raises `DocumentError` where others could enter the folder, where another agent listens, and
    where the path cannot be used.
    """
    folder = path.parent
    mode = 0o750 if group else 0o700
    try:
        if not folder.exists():
            folder.mkdir(mode=mode, parents=True)
            folder.chmod(mode)
        found = folder.stat()
        if not stat.S_ISDIR(found.st_mode):
            raise _unusable(path, f"{folder} is no folder: name another path")
        if found.st_uid != os.geteuid():
            # Its owner could put another socket in the place of this one.
            raise _unusable(
                path, f"its folder {folder} is another user's: name a folder of this agent's own"
            )
        others = stat.S_IMODE(found.st_mode) & ~mode & 0o777
        if others:
            raise _unusable(
                path,
                f"others can enter its folder {folder} (mode {stat.S_IMODE(found.st_mode):04o}): "
                f"name a folder of its own, or chmod {mode:04o} {folder}",
            )
        if path.exists():
            _remove_left_over(path)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            before = os.umask(0o177)
            try:
                listener.bind(os.fspath(path))
            finally:
                os.umask(before)
            path.chmod(0o660 if group else 0o600)
            listener.listen(BACKLOG)
            listener.setblocking(False)
        except BaseException:
            listener.close()
            raise
    except OSError as error:
        told = f"{error.strerror or error}: name a path in a folder of this agent's own"
        raise _unusable(path, told) from None
    return listener


def check_unused(path: Path) -> None:
    """Check before anything is taken from an agent of the same name. Raises `DocumentError` where
    another agent listens at `path`."""
    try:
        used = _probe(path) in (0, errno.EAGAIN)
    except OSError:  # a path that is too long, which is told where it is listened at
        return
    if used:
        raise _in_use(path)


def _remove_left_over(path: Path) -> None:
    if not stat.S_ISSOCK(path.stat().st_mode):
        raise _unusable(path, "it is there and is no socket: name another path")
    if _probe(path) != errno.ECONNREFUSED:
        raise _in_use(path)
    path.unlink()


def _probe(path: Path) -> int:
    """The error of who connects there; 0: somebody listens."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        return probe.connect_ex(os.fspath(path))


def _in_use(path: Path) -> DocumentError:
    return _unusable(path, "another agent listens there: each needs a path of its own")


def listen_tcp(address: Address) -> socket.socket:
    """Listen at a loopback address. Raises `DocumentError`."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address.host, address.port))
        listener.listen(BACKLOG)
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        told = f"{error.strerror or error}: name {HERE}"
        raise _unusable(address, told) from None
    return listener


def read_token(path: Path) -> str:
    """The token in a file of mode 0600. Raises `DocumentError`."""
    make = f"make one, as by `(umask 077; openssl rand -hex 32 > {path})`"
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & 0o077:
            told = f"others can read it (mode {mode:04o}): chmod 600 {path}"
            raise DocumentError((Problem(str(path), 0, "", told),))
        with path.open(encoding="utf-8") as stream:
            token = stream.read(2 * MAX_TOKEN).strip()
    except FileNotFoundError:
        told = f"cannot be read: there is no such file: {make}"
        raise DocumentError((Problem(str(path), 0, "", told),)) from None
    except IsADirectoryError:
        raise DocumentError(
            (Problem(str(path), 0, "", "is a folder: name a file in it"),)
        ) from None
    except UnicodeDecodeError:
        raise DocumentError((Problem(str(path), 0, "", f"is not UTF-8: {make}"),)) from None
    except OSError as error:
        told = f"cannot be read: {error.strerror or error}: let this user read it"
        raise DocumentError((Problem(str(path), 0, "", told),)) from None
    if not MIN_TOKEN <= len(token) <= MAX_TOKEN:
        told = f"should hold {MIN_TOKEN} to {MAX_TOKEN} characters, not {len(token)}: {make}"
        raise DocumentError((Problem(str(path), 0, "", told),))
    return token


def _unusable(place: object, why: str) -> DocumentError:
    return DocumentError((Problem(str(place), 0, "", f"cannot be listened at: {why}"),))
