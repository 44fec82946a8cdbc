"""Signals at random moments to every command: its family ends, and no file is half-written."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli.command_line import ROOT
from tests.hostile.commands import GOES_ON, VALID, lines
from tests.hostile.judged import check_files, clear, contents

LATEST = 1.2
"""Seconds after its start at which a command is struck at the latest."""

PROGRAM = """
import os, signal, sys
from choreomon.__main__ import main

ready = int(sys.argv.pop(1))
os.write(ready, b".")
os.close(ready)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
main()
"""
"""The console script; it says when it begins, since what Python itself does before is not ours.
SIGHUP ends it even where tests are run by `nohup`."""

ENDED = {signal.SIGINT: (130, -2), signal.SIGTERM: (143, -15), signal.SIGHUP: (129, -1)}
"""The exit codes, and those of who was struck before it had imported anything or after it had
ended everything; both are the same in a shell."""

ASKED = [
    *("agent", "experiment fig7", "experiment all", "experiment multiprefix", "experiment slices"),
    *("run", "verify", "simulate", "synthesize", "audit"),
]
"""Commands that are worth a process each time; the others are struck by turns."""


@pytest.fixture(autouse=True)
def bounded() -> None:
    """Each command has a bound of its own here: all together take long on a busy machine."""


@pytest.mark.parametrize("number", ENDED, ids=lambda number: number.name)
def test_a_signal_ends_the_family_and_leaves_whole_files(
    number: signal.Signals, place: Path
) -> None:
    rng = random.Random(number)
    others = [name for name in VALID if name not in ASKED]
    chosen = [*ASKED, *others[[*ENDED].index(number) :: len(ENDED)]]
    for name, words in lines():
        if name in chosen:
            clear(place)  # what is there already may be replaced
            before = contents(place)
            after = rng.uniform(0.01, LATEST)
            code, said = struck(name, words, number, after)
            line = f"choreomon {name} {' '.join(words)}, {after:.3f} s: {code}\n{said}"
            # It may have been at its end; an agent ends in order.
            done = (0, 1, 2, 3) if name not in GOES_ON or name == "agent" else (0, 1)
            if name == "agent" and number == signal.SIGHUP:
                done = (*done, *ENDED[signal.SIGTERM])
            assert code in (*ENDED[number], *done), line
            assert "Traceback" not in said, line
            assert "leaked" not in said, line
            check_files(before, place, line)


def struck(name: str, words: list[str], number: signal.Signals, after: float) -> tuple[int, str]:
    """The exit code and what was said, when the last process of the family is gone: only then the
    outputs, which all of them have, are at their end."""
    begun, ready = os.pipe()
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(ready), *name.split(), *words],
        pass_fds=(ready,),
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(Path.cwd().parent)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        try:
            os.close(ready)
            os.read(begun, 1)
            os.close(begun)
            with suppress(subprocess.TimeoutExpired):
                process.wait(after)
            with suppress(ProcessLookupError):
                process.send_signal(number)
            if name == "agent" and number == signal.SIGHUP:
                # One that runs goes on: it reads its keys anew. One that starts ends, or is at it.
                with suppress(subprocess.TimeoutExpired):
                    process.wait(LATEST)
                with suppress(ProcessLookupError):
                    process.send_signal(signal.SIGTERM)
            said, _ = process.communicate(timeout=300)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return process.returncode, said.decode("utf-8", "replace")
