"""Signals end a command in order, and with the exit code of a shell."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

import choreomon.formats.read as choreomon_read
from choreomon.cli.signals import Ended, ended_by_signals
from tests.cli.command_line import ROOT, choreomon

NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.fixture(autouse=True)
def _handlers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Those of somebody who is called from a terminal; and nobody ends this very process."""
    monkeypatch.setattr("_thread.start_new_thread", lambda *_: None)
    before = {number: signal.getsignal(number) for number in NUMBERS}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def in_a_process(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,  # it might have no end
        check=False,
    )


@pytest.mark.parametrize(
    ("number", "code", "said"),
    [
        (signal.SIGINT, 130, "interrupted"),
        (signal.SIGTERM, 143, "terminated"),
        (signal.SIGHUP, 129, "terminated"),
    ],
)
def test_a_signal_ends_a_command_with_the_exit_code_of_a_shell(
    number: signal.Signals, code: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cleaned: list[str] = []

    def struck(_: str) -> None:
        try:
            signal.raise_signal(number)
        finally:
            for again in NUMBERS:  # as of somebody who loses patience
                signal.raise_signal(again)
            cleaned.append("up")

    monkeypatch.setattr(choreomon_read, "load_document", struck)
    before = [*map(signal.getsignal, NUMBERS)]
    answer = choreomon("check", "violated.yaml")
    assert (answer.code, answer.out, answer.err.strip()) == (code, "", said)
    assert cleaned == ["up"]
    assert [*map(signal.getsignal, NUMBERS)] == before


def test_a_signal_of_which_a_library_makes_an_error_is_a_signal_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def disguising(_: str) -> None:
        try:
            signal.raise_signal(signal.SIGTERM)
        except KeyboardInterrupt:
            raise ValueError("of the library") from None

    monkeypatch.setattr(choreomon_read, "load_document", disguising)
    answer = choreomon("check", "violated.yaml")
    assert (answer.code, answer.err.strip()) == (143, "terminated")


ENDED = """
import signal, sys
from choreomon.cli.signals import Ended, ended_by_signals

try:
    with ended_by_signals():
        {block}
except Ended as ended:
    print(ended.number)
"""


@pytest.mark.parametrize(
    "block",
    [
        "try: signal.raise_signal(15)\n        finally: signal.pause()",
        # Python loses what is raised there, and would print a traceback.
        "class Loser:\n            __del__ = lambda self: signal.raise_signal(15)\n"
        "        Loser()\n        signal.pause()",
    ],
    ids=["cleaning up", "lost"],
)
def test_who_needs_too_long_to_end_is_ended(block: str) -> None:
    done = in_a_process(ENDED.format(block=block))
    assert (done.returncode, done.stdout, done.stderr) == (143, "", "")


def test_who_goes_on_all_the_same_is_ended_by_the_next_one() -> None:
    block = """
        try: signal.raise_signal(2)
        except Ended as ended: ended.answer()
        signal.raise_signal(15)
"""
    done = in_a_process(ENDED.format(block=block))
    assert (done.returncode, done.stdout, done.stderr) == (0, "15\n", "")


def test_an_interrupt_counts_where_it_was_ignored_and_what_nohup_ignores_does_not() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def struck() -> None:
        with ended_by_signals():
            signal.raise_signal(signal.SIGHUP)
            with pytest.raises(Ended) as ended:
                signal.raise_signal(signal.SIGINT)
            ended.value.answer()
            signal.raise_signal(signal.SIGHUP)
            signal.raise_signal(signal.SIGTERM)

    with pytest.raises(Ended, match=str(int(signal.SIGTERM))):
        struck()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_in_another_thread_signals_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()  # the test starts one
    seen: list[object] = []

    def run() -> None:
        with ended_by_signals():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [signal.SIG_DFL]


IMPORTING = """
import signal, sys

class Striking:
    def find_spec(self, name, path=None, target=None):
        if name == "click":
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Striking())
from choreomon.__main__ import main
main()
"""


def test_an_interrupt_while_the_command_line_is_imported_ends_without_a_word() -> None:
    done = in_a_process(IMPORTING)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


def test_the_console_script_is_that_of_the_module() -> None:
    text = Path(ROOT / "pyproject.toml").read_text("utf-8")
    assert 'choreomon = "choreomon.__main__:main"' in text
