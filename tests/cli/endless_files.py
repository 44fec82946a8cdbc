"""Runs commands on files that never end, each in a process of its own with a bounded memory.

    python -m tests.cli.endless_files < CASES > ANSWERS

A case is a JSON object a line: `arguments` of the command, `endless`, the path in it at which a
file is put that never ends, `kind`, what file, and `input`, the same path where standard input is
that file. An answer is one, too: `code` and `told`. Modules are loaded once and processes forked,
since there are some hundred cases.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import tempfile
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, Final

import choreomon
from choreomon.cli import main

MEMORY: Final = 2 << 30
"""Bytes of address space of a command; half of it are libraries."""

SECONDS: Final = 300
"""After which a command is ended: it reads without end."""

TEXT: Final = b"a" * (1 << 16)


def put(path: Path, kind: str) -> int:
    """Puts a file without an end there; the process that writes it, or 0."""
    path.unlink(missing_ok=True)
    if kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "sparse":
        with path.open("wb") as file:
            file.truncate(1 << 40)
    else:
        os.mkfifo(path)
        child = os.fork()
        if not child:
            signal.signal(signal.SIGPIPE, signal.SIG_IGN)
            while True:
                with suppress(BrokenPipeError), path.open("wb", buffering=0) as pipe:
                    while True:
                        pipe.write(TEXT)
        return child
    return 0


def answer(case: dict[str, Any]) -> dict[str, Any]:
    """How the command ended, 128 + the signal where it was killed, and what it said."""
    writer = put(Path(case["endless"]), case["kind"])
    with tempfile.TemporaryFile() as told:
        child = os.fork()
        if not child:
            os.setpgid(0, 0)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            os.dup2(told.fileno(), 1)
            os.dup2(told.fileno(), 2)
            if case["endless"] == case.get("input"):
                os.dup2(os.open(case["input"], os.O_RDONLY), 0)
            sys.argv = ["choreomon", *case["arguments"]]
            code = 99
            try:
                main()
            except SystemExit as end:
                code = int(end.code or 0)
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
        began = time.monotonic()
        status = None
        while status is None and time.monotonic() - began < SECONDS:
            done, found = os.waitpid(child, os.WNOHANG)
            status = found if done else None
            if status is None:
                time.sleep(0.02)
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # with those who worked for it
        if status is None:
            _, status = os.waitpid(child, 0)
        if writer:
            os.kill(writer, signal.SIGKILL)
            os.waitpid(writer, 0)
        Path(case["endless"]).unlink()
        told.seek(0)
        text = told.read(10_000).decode("utf-8", "replace")
        code = os.waitstatus_to_exitcode(status)
        return {"code": code if code >= 0 else 128 - code, "told": text}


def load() -> None:
    """Loads what commands load when they are called, which is most of the time that they take here;
    but for what is not installed."""
    for found in walk_packages(choreomon.__path__, "choreomon."):
        if not found.name.endswith("__main__"):
            with suppress(ModuleNotFoundError):
                import_module(found.name)


if __name__ == "__main__":
    load()
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)
