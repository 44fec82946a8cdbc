"""Processes that share work: prepared, quiet, and gone with whoever started them."""

from __future__ import annotations

import math
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
        assert {*pool.map(os.path.abspath, ["."] * 4)} == {"/"}


def test_a_process_that_is_interrupted_ends_without_a_word() -> None:
    with workers(1) as pool:
        assert [*pool.map(signal.getsignal, [signal.SIGINT])] == [signal.SIG_DFL]


def test_a_process_that_was_killed_is_told() -> None:
    with pytest.raises(WorkerLost, match="a process was killed"), workers(1) as pool:
        next(pool.map(os._exit, [1]))


def test_results_come_in_the_order_of_the_tasks_however_many_are_handed_out_together() -> None:
    with workers(2) as pool:
        for at_once in (1, 3, 64):
            assert [*pool.map(abs, range(-7, 0), at_once)] == [7, 6, 5, 4, 3, 2, 1]


def test_an_error_of_the_work_is_raised_where_its_result_is_awaited() -> None:
    with workers(1) as pool:
        results = pool.map(math.sqrt, [4, -1, 9])
        assert next(results) == 2
        with pytest.raises(ValueError, match="math domain error"):
            next(results)


def test_what_leaves_the_block_does_not_wait_for_work_without_end() -> None:
    def interrupted() -> None:
        with workers(1) as pool:
            next(pool.map(without_end, [True, False]))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()


def without_end(known: bool) -> None:
    if not known:
        signal.pause()


ROOT = Path(__file__).parents[2]

STARTER = """
import os, signal, sys
from choreomon.batch.workers import workers

if __name__ == "__main__":
    # Who is started in the background of a shell inherits that interrupts are ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with workers(1) as pool:
        for found in pool.map(eval, ["os.getpid()", "signal.pause()"]):
            print(found, flush=True)
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


INTERRUPTED = """
import signal, threading
from choreomon.batch.workers import workers

enter = threading.Condition.__enter__
left = -1

def interrupting(condition):
    global left
    entered = enter(condition)
    if threading.get_ident() == threading.main_thread().ident:
        left -= 1
        if left == 0:
            signal.raise_signal(signal.SIGINT)
    return entered

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Condition.__enter__ = interrupting
    for place in range(1, 5):
        try:
            with workers(1) as pool:
                left = place
                print([*pool.map(abs, [-1])])
        except KeyboardInterrupt:
            print("interrupted")
"""
"""Is interrupted right after its main thread took a lock: the first three are taken while work is
handed out, the fourth while its result is awaited."""


def test_an_interrupt_leaves_no_lock_held_wherever_it_comes(tmp_path: Path) -> None:
    script = tmp_path / "interrupted.py"
    script.write_text(INTERRUPTED, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,  # it would have no end
    )
    assert done.stdout.split() == ["interrupted"] * 4, done.stderr
