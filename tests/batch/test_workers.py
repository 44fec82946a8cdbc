"""Processes that share work: prepared, quiet, and gone with whoever started them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from choreomon.batch.workers import workers
from choreomon.core.errors import WorkerLost


def test_each_process_is_prepared_before_it_works() -> None:
    with workers(2, os.chdir, "/") as pool:
        assert {pool.submit(os.getcwd).result() for _ in range(4)} == {"/"}


def test_a_process_that_is_interrupted_ends_without_a_word() -> None:
    with workers(1) as pool:
        assert pool.submit(signal.getsignal, signal.SIGINT).result() == signal.SIG_DFL


def test_a_process_that_was_killed_is_told() -> None:
    with pytest.raises(WorkerLost, match="a process was killed"), workers(1) as pool:
        pool.submit(os._exit, 1).result()


def test_what_leaves_the_block_does_not_wait_for_work_without_end() -> None:
    def interrupted() -> None:
        with workers(1) as pool:
            pool.submit(signal.pause)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()


ROOT = Path(__file__).parents[2]

STARTER = """
import os, signal, sys
from choreomon.batch.workers import workers

if __name__ == "__main__":
    with workers(1) as pool:
        print(pool.submit(os.getpid).result(), flush=True)
        pool.submit(signal.pause)
        sys.stdin.read()  # its end lets an interrupt through that came just before
"""
"""Says the number of its worker, whose work has no end then."""


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_they_end_with_the_process_that_started_them(tmp_path: Path, by: signal.Signals) -> None:
    script = tmp_path / "starter.py"
    script.write_text(STARTER, encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, str(script)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    ) as starter:
        try:
            assert starter.stdout is not None
            assert int(starter.stdout.readline()) != starter.pid
            starter.send_signal(by)
            # The output is at its end when the last process is gone that has it.
            starter.communicate(timeout=30)
        except BaseException:
            os.killpg(starter.pid, signal.SIGKILL)
            raise
    assert starter.returncode == -by
