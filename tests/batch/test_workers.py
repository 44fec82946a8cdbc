"""Processes that share work: prepared, quiet, and gone with whoever started them."""

from __future__ import annotations

import math
import multiprocessing
import os
import queue
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from choreomon.agent_files.addresses import MAX_SOCKET_PATH
from choreomon.batch.workers import _SOCKET, _begin, workers
from choreomon.core.errors import WorkerLost


@pytest.mark.parametrize("longer", [0, 1])
def test_they_work_where_the_path_of_temporary_files_is_long(tmp_path: Path, longer: int) -> None:
    """As long as the socket of a fork server allows, and longer."""
    room = MAX_SOCKET_PATH - len(os.path.join(tmp_path, "", "", _SOCKET)) + longer
    place = tmp_path / ("x" * room)
    place.mkdir()
    script = tmp_path / "starter.py"
    script.write_text(STARTER.replace("{work}", "1"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(place)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1:] == ["1", "1"]
    assert [*place.iterdir()] == []


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


def test_a_task_that_takes_long_holds_no_other_task_up(tmp_path: Path) -> None:
    """The first one has an end when the last one was begun."""
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)
    with workers(2) as pool:
        tasks = [(pipe, "r"), *[("", "")] * 50, (pipe, "w")]
        assert [*pool.map(opened, tasks)] == ["r", *[""] * 50, "w"]


def opened(task: tuple[str, str]) -> str:
    """Of a pipe that waits until the other end is opened, too."""
    path, mode = task
    if path:
        open(path, mode).close()
    return mode


def test_what_was_not_begun_when_the_iterator_is_closed_is_not_done(tmp_path: Path) -> None:
    """One is done, one has no end yet, and two are in the queue of the process."""
    done, pipe = tmp_path / "done", tmp_path / "pipe"
    os.mkfifo(pipe)
    tasks = [(str(done), each) for each in ("", str(pipe), *[""] * 98)]
    with workers(1) as pool:
        results = pool.map(noted, tasks)
        next(results)
        results.close()  # type: ignore[attr-defined]
        opened((str(pipe), "w"))
    assert done.read_text() == "...."


def noted(task: tuple[str, str]) -> None:
    done, pipe = task
    opened((pipe, "r"))
    with open(done, "a") as file:
        file.write(".")


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


@pytest.mark.parametrize("closed", [False, True])
def test_nothing_is_said_of_work_that_is_left(
    closed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread of the executor would fail on what was cancelled, and say so."""
    failed: list[threading.ExceptHookArgs] = []
    monkeypatch.setattr(threading, "excepthook", failed.append)
    threads = threading.active_count()

    def interrupted() -> None:
        with workers(1) as pool:
            results = pool.map(without_end, [True] + [False] * 20)
            next(results)
            if closed:
                results.close()  # type: ignore[attr-defined]
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert not failed
    assert threading.active_count() == threads


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
    with workers(2) as pool:
        for found in pool.map(eval, ["__import__('os').getpid()", "{work}", "{work}"]):
            print(found, flush=True)
"""
"""Says the number of a worker, and the work of two has no end then."""

ENDLESS = {
    "waiting": "__import__('signal').pause()",
    "in C": "sum(__import__('itertools').repeat(1))",
}


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("work", ENDLESS)
def test_they_end_with_the_process_that_started_them(
    tmp_path: Path, by: signal.Signals, work: str
) -> None:
    """Also where they are within code in C that never comes back to the interpreter."""
    script = tmp_path / "starter.py"
    script.write_text(STARTER.replace("{work}", ENDLESS[work]), encoding="utf-8")
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
            starter.communicate(timeout=300)
        except BaseException:
            os.killpg(starter.pid, signal.SIGKILL)
            raise
    assert starter.returncode == -by


def test_a_block_that_is_left_ends_them_within_code_in_c() -> None:
    """In a thread, which is left behind where the block does not end."""
    pids: list[int] = []

    def left() -> None:
        with suppress(ZeroDivisionError), workers(1) as pool:
            results = pool.map(eval, ["__import__('os').getpid()", ENDLESS["in C"]])
            pids.append(next(results))
            raise ZeroDivisionError

    thread = threading.Thread(target=left, daemon=True)
    thread.start()
    thread.join(60)
    hangs = thread.is_alive()
    if hangs:
        os.kill(pids[0], signal.SIGKILL)
    assert not hangs


def test_they_end_where_the_system_does_not_tell_them(monkeypatch: pytest.MonkeyPatch) -> None:
    codes: queue.Queue[int] = queue.Queue()
    monkeypatch.setattr("choreomon.batch.workers.be_killed_with", lambda _: None)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setattr(os, "_exit", codes.put)
    held, letting_go = multiprocessing.Pipe(duplex=False)
    with held, letting_go:
        _begin(held, None, ())
        letting_go.close()
        assert codes.get(timeout=60) == 1


LATE = """
from multiprocessing import Pipe
from choreomon.batch.workers import _begin

held, letting_go = Pipe(duplex=False)
letting_go.close()
_begin(held, sum, (__import__("itertools").repeat(1),))
"""


def test_they_end_where_the_process_that_started_them_was_gone_before_they_began() -> None:
    """The system tells nobody of what was over before he asked, and this is code in C."""
    ended = subprocess.run(
        [sys.executable, "-c", LATE],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=300,
        check=False,
    )
    assert ended.returncode == 1


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
    for place in range(1, 6):
        try:
            with workers(1) as pool:
                left = place
                print([*pool.map(abs, [-1])])
        except KeyboardInterrupt:
            print("interrupted")
"""
"""Is interrupted right after its main thread took a lock: the first three are taken while work is
handed out, the others while its result is awaited."""


def test_an_interrupt_leaves_no_lock_held_wherever_it_comes(tmp_path: Path) -> None:
    script = tmp_path / "interrupted.py"
    script.write_text(INTERRUPTED, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,  # it would have no end
    )
    assert done.stdout.split() == ["interrupted"] * 5, done.stderr


STRUCK_WHILE_MADE = """
import os, signal
from multiprocessing import resource_tracker
from choreomon.batch.workers import workers

def ended(*_):
    raise SystemExit(143)

register = resource_tracker.register

def registered(name, kind):
    register(name, kind)
    if kind == "semaphore":
        os.kill(os.getpid(), signal.SIGTERM)

signal.signal(signal.SIGTERM, ended)
resource_tracker.register = registered
with workers(2):
    print("begun")
"""


def test_a_signal_while_they_are_made_leaves_nothing_to_the_system() -> None:
    """A semaphore is known to the tracker of resources before it is sure to be removed."""
    struck = subprocess.run(
        [sys.executable, "-c", STRUCK_WHILE_MADE], capture_output=True, text=True, check=False
    )
    assert (struck.returncode, struck.stdout, struck.stderr) == (143, "", "")
