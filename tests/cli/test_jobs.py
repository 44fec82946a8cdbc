"""How many processes a command works with."""

from __future__ import annotations

import os

import click
import pytest

from choreomon.cli.command_line.jobs import jobs_option, loss_told
from choreomon.core.errors import WorkerLost


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


def test_a_process_that_was_killed_is_told_with_what_may_help() -> None:
    with pytest.raises(click.ClickException, match="was killed: try fewer --jobs"), loss_told():
        raise WorkerLost("a process was killed")
