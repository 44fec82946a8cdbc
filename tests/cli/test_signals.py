"""Signals end a command in order, and with the exit code of a shell."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import choreomon.documents.several as several
from choreomon.audit.auditor import Auditor
from choreomon.audit.sessions import SessionsAuditor
from choreomon.cli.command_line.signals import Ended, ended_by_signals, interrupt_noted
from choreomon.core.recorded import RecordedEvent
from tests.cli.command_line import ROOT, choreomon
from tests.cli.test_audit import HANDLED, A, B, log
from tests.cli.test_audit_sessions import as_json_lines

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
        timeout=300,  # it might have no end
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

    monkeypatch.setattr(several, "load_document", struck)
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

    monkeypatch.setattr(several, "load_document", disguising)
    answer = choreomon("check", "violated.yaml")
    assert (answer.code, answer.err.strip()) == (143, "terminated")


ENDED = """
import signal, sys
from choreomon.cli.command_line.signals import Ended, ended_by_signals

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
        # Which the standard library would remove at the end, and complain.
        "from multiprocessing import get_context\n        kept = get_context('spawn').Lock()\n"
        "        try: signal.raise_signal(15)\n        finally: signal.pause()",
    ],
    ids=["cleaning up", "lost", "named semaphores"],
)
def test_who_needs_too_long_to_end_is_ended(block: str) -> None:
    done = in_a_process(ENDED.format(block=block))
    assert (done.returncode, done.stdout, done.stderr) == (143, "", "")


@pytest.mark.parametrize("second", [signal.SIGINT, signal.SIGTERM])
def test_who_notes_an_interrupt_goes_on_and_is_ended_by_the_next_signal(
    second: signal.Signals,
) -> None:
    said: list[bool] = []

    def struck() -> None:
        with ended_by_signals(), interrupt_noted() as interrupted:
            said.append(interrupted())
            signal.raise_signal(signal.SIGINT)
            said.append(interrupted())
            signal.raise_signal(second)

    with pytest.raises(Ended, match=str(int(second))):
        struck()
    assert said == [False, True]


@pytest.mark.parametrize("auditor", [Auditor, SessionsAuditor])
def test_an_interrupt_ends_the_following_of_logs_also_while_they_are_read(
    auditor: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What comes after it is not read any more, and all that was read is summed up."""
    add, met = auditor.add, []

    def struck(self: Any, event: RecordedEvent) -> None:
        add(self, event)
        met.append(event)
        if len(met) == 3:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(auditor, "add", struck)
    log("mixed.jsonl", as_json_lines("one", A, HANDLED, B, A))
    apart = ("--session-key", "order") if auditor is SessionsAuditor else ()
    answer = choreomon("audit", "property.yaml", "mixed.jsonl", "--follow", "--json", *apart)
    assert answer.code in (1, 3)
    told = json.loads(answer.out)
    assert told["events"] == 3
    assert "violated" in told["overall"]["verdict"]


def test_a_signal_that_ends_who_would_note_an_interrupt_is_the_last_one() -> None:
    def struck() -> None:
        with ended_by_signals():
            try:
                with interrupt_noted():
                    signal.raise_signal(signal.SIGTERM)
            finally:
                signal.raise_signal(signal.SIGINT)

    with pytest.raises(Ended, match=str(int(signal.SIGTERM))):
        struck()


def test_an_interrupt_counts_where_it_was_ignored_and_what_nohup_ignores_does_not() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def struck() -> None:
        with ended_by_signals():
            signal.raise_signal(signal.SIGHUP)
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(Ended, match=str(int(signal.SIGINT))):
        struck()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_in_another_thread_signals_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()  # the test starts one
    seen: list[object] = []

    def run() -> None:
        with ended_by_signals(), interrupt_noted() as interrupted:
            seen.extend(signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT))
            seen.append(interrupted())

    thread = Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [signal.SIG_DFL, signal.default_int_handler, False]


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
