"""Interrupts are handled at the end of a block, and neither lost nor doubled."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from threading import Thread

import pytest

from choreomon.batch.interrupts import interrupts_deferred


@pytest.fixture(autouse=True)
def default_handler() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_waits_for_the_end_of_the_block() -> None:
    done: list[str] = []

    def twice() -> None:
        with interrupts_deferred():
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            done.append("the rest of the block")

    with pytest.raises(KeyboardInterrupt):
        twice()
    assert done
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_other_signals_that_have_a_handler_wait_too_and_the_first_one_counts() -> None:
    def end(number: int, _: object) -> None:
        raise SystemExit(number)

    def struck() -> None:
        with interrupts_deferred():
            signal.raise_signal(signal.SIGTERM)
            signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGTERM, end)
    try:
        with pytest.raises(SystemExit, match="15"):
            struck()
        assert signal.getsignal(signal.SIGTERM) is end
    finally:
        signal.signal(signal.SIGTERM, before)


def test_an_interrupt_replaces_an_error_of_the_block() -> None:
    def with_error() -> None:
        with interrupts_deferred():
            signal.raise_signal(signal.SIGINT)
            raise ValueError

    with pytest.raises(KeyboardInterrupt):
        with_error()


def test_a_block_without_interrupts_is_as_ever() -> None:
    with pytest.raises(ValueError, match="its own"), interrupts_deferred():
        raise ValueError("its own")


def test_an_interrupt_that_is_ignored_stays_so() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with interrupts_deferred():
        signal.raise_signal(signal.SIGINT)


def test_other_threads_need_no_handler() -> None:
    failed: list[BaseException] = []

    def enter() -> None:
        try:
            with interrupts_deferred():
                pass
        except BaseException as error:
            failed.append(error)

    thread = Thread(target=enter)
    thread.start()
    thread.join()
    assert not failed
