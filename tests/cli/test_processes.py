"""Work that several processes share."""

from __future__ import annotations

import os
import signal

import click
import pytest

from choreomon.cli.processes import jobs_option, processes


def test_each_process_is_prepared_before_it_works() -> None:
    with processes(2, os.chdir, "/") as pool:
        assert {pool.submit(os.getcwd).result() for _ in range(4)} == {"/"}


def test_a_process_that_is_interrupted_ends_without_a_word() -> None:
    with processes(1) as pool:
        assert pool.submit(signal.getsignal, signal.SIGINT).result() == signal.SIG_DFL


def test_a_process_that_was_killed_is_no_error_of_ours() -> None:
    with (
        pytest.raises(click.ClickException, match="a process was killed"),
        processes(1) as pool,
    ):
        pool.submit(os._exit, 1).result()


def test_no_jobs_are_one_for_each_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    @click.command()
    @jobs_option
    def command(jobs: int) -> int:
        return jobs

    def asked(*arguments: str) -> int:
        found: int = command.main(list(arguments), standalone_mode=False)
        return found

    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert [asked(), asked("-j", "3"), asked("--jobs", "0")] == [1, 3, 7]
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert asked("-j", "0") == 1
