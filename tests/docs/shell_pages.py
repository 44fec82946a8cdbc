"""Pages that are followed from their top to their end, as a reader would: files are written,
changed, and commands typed into one shell, in a folder of its own.

- A block whose first line is `# NAME`, `// NAME` or `%% NAME` is that file.
- A block marked `diff` changes a file. After `--- NAME` and `+++ NAME` it has pieces, each after a
  line `@@`, which show lines that go (`-`), that come (`+`), and around them some that stay. What
  goes and stays must be in the file, once.
- In a block marked `console`, what stands behind `$ ` is typed. Lines up to the next command are
  what it prints, and `$ echo $?` shows its exit code, as in `tests.scenarios.console_blocks`; but
  `...` may also stand for a part of a line. What is left in the background (`&`) goes on, until the
  page is at its end.

All other blocks, such as those without a kind, are only to be looked at.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import TypeAlias

from tests.scenarios.console_blocks import ANY_LINES, Command, Printed, commands_in, trimmed

PATIENCE = 300.0
"""Seconds after which a command counts as one that hangs."""

_BLOCK = re.compile(r"^```([a-z]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"(?:#|//|%%) ([\w./-]+\.\w+)\n")
_DIFF = re.compile(r"--- (\S+)\n\+\+\+ \1\n@@\n")
_ASSIGNMENTS = re.compile(r"^(?:\w+=\S*\s*)+")
_END = "=== end of command ==="


@dataclass(frozen=True)
class File:
    """A file as a page shows it."""

    name: str
    text: str


@dataclass(frozen=True)
class Change:
    """What a page changes in a file: in each piece, the lines that are there, and those instead."""

    name: str
    pieces: tuple[tuple[str, str], ...]

    def applied(self, text: str) -> str:
        """The text after it. Raises `ValueError` where the lines that were are not there, once."""
        for before, after in self.pieces:
            if text.count(before) != 1:
                raise ValueError(f"{self.name} has {text.count(before)} times:\n{before}")
            text = text.replace(before, after)
        return text


Step: TypeAlias = File | Change | Command


def steps_of(text: str) -> Iterator[Step]:
    """What a page tells its reader to do, in order."""
    for kind, block in _BLOCK.findall(text):
        if kind == "console":
            yield from commands_in(block)
        elif kind == "diff":
            yield change_in(block)
        elif kind and (named := _FILE.match(block)):
            yield File(named.group(1), block)


def change_in(block: str) -> Change:
    """The change that a block shows."""
    head = _DIFF.match(block)
    if head is None:
        raise ValueError(f"no change of a file:\n{block}")
    pieces = []
    for piece in block[head.end() :].split("@@\n"):
        lines = [(line[:1], line[1:]) for line in piece.splitlines(keepends=True)]
        # An empty line that stays may have lost its blank at the end.
        kept = [(sign.strip(), text or sign) for sign, text in lines]
        before = "".join(text for sign, text in kept if sign != "+")
        after = "".join(text for sign, text in kept if sign != "-")
        pieces.append((before, after))
    return Change(head.group(1), tuple(pieces))


def searched() -> str:
    """Where commands are looked for, in this installation first."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])


class Shell:
    """One bash in a folder, whose commands find those of this installation first."""

    def __init__(self, folder: Path) -> None:
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("CHOREOMON")}
        plain = {"COLUMNS": "88", "NO_COLOR": "1", "TERM": "dumb", "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            ["bash", "--noprofile", "--norc"],
            cwd=folder,
            env={**inherited, **plain, "PATH": searched()},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, line: str) -> Printed:
        """Type a command, and read what it prints. Raises `TimeoutError` for one that hangs."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(f"{line}\nprintf '\\n{_END} %s\\n' $?\n")
        stdin.flush()
        watchdog = threading.Timer(PATIENCE, self.close)
        watchdog.start()
        printed: list[str] = []
        try:
            for text in stdout:
                if text.startswith(_END):
                    return Printed(trimmed("".join(printed)), int(text.split()[-1]))
                printed.append(text)
        finally:
            watchdog.cancel()
        raise TimeoutError(f"{line}: no end within {PATIENCE:g} s; it printed {''.join(printed)}")

    def close(self) -> None:
        """End it, and all that it left in the background."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def __enter__(self) -> Shell:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()


def agrees(shown: str, printed: str) -> bool:
    """Whether a page shows what was printed."""
    pattern = ""
    for line in trimmed(shown).splitlines():
        if line == ANY_LINES:
            pattern += "(?:.*\n)*"
        else:
            pattern += re.escape(line).replace(re.escape(ANY_LINES), ".*") + "\n"
    return re.fullmatch(pattern, printed) is not None


def missing_programs(text: str) -> list[str]:
    """Programs that the commands of a page begin with and that this machine does not have."""
    lines = [step.line for step in steps_of(text) if isinstance(step, Command)]
    first = [_ASSIGNMENTS.sub("", line).partition(" ")[0] for line in lines]
    known = {"choreomon", "python", "kill", "wait", ""}
    named = [each for each in dict.fromkeys(["bash", *first]) if each not in known]
    return [each for each in named if not which(each, path=searched())]


def follow(text: str, folder: Path) -> None:
    """Do what a page says. Raises `AssertionError` where something else happens than it shows."""
    with Shell(folder) as shell:
        for step in steps_of(text):
            path = folder / ("" if isinstance(step, Command) else step.name)
            match step:
                case File(text=content):
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(content, encoding="utf-8")
                case Change():
                    path.write_text(step.applied(path.read_text("utf-8")), encoding="utf-8")
                case Command():
                    printed = shell.run(step.line)
                    assert agrees(step.printed, printed.text), _told(step, printed, folder)
                    assert printed.code == step.code, _told(step, printed, folder)


def _told(command: Command, printed: Printed, folder: Path) -> str:
    """What happened instead, with what was written into files meanwhile."""
    logs = [
        f"--- {path.name}\n{path.read_text('utf-8', 'replace')}"
        for path in sorted(folder.glob("*.log")) + sorted(folder.glob("*.out"))
    ]
    return "\n".join(
        [f"$ {command.line}", f"{printed.text}exit code {printed.code}", *logs],
    )
