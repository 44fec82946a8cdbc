"""The sinks that a configuration names."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import assert_never

from choreomon.agent_files.agent_config import AgentConfig
from choreomon.agent_files.delivered.sinks import FileSink, StdoutSink, WebhookSink
from choreomon.core.errors import DocumentError, Problem
from choreomon.runtime.delivery.dead_letters import DeadLetters
from choreomon.runtime.delivery.line_sinks import DescriptorLines, FileLines
from choreomon.runtime.delivery.sinks import Sink
from choreomon.runtime.delivery.webhook import Webhook
from choreomon.runtime.network.credentials import check_webhooks


def make_sinks(config: AgentConfig) -> list[Sink]:
    """Make the sinks of `config.verdicts`, in its order. Nothing is opened yet. If nothing may be
    lost with the power, files are synced to the disk. Raises `DocumentError` for files that surely
    cannot be written, and for bad credentials of webhooks.
    """
    check_webhooks(config)
    sinks: list[Sink] = []
    problems: list[Problem] = []

    def check(place: int, field: str, file: Path) -> None:
        if wrong := _unwritable(file):
            line = config.lines.get(("verdicts", place), 0)
            problems.append(Problem(config.file, line, f"verdicts[{place}].{field}", wrong))

    for place, each in enumerate(config.verdicts):
        match each:
            case StdoutSink():
                sinks.append(DescriptorLines())
            case FileSink(file):
                check(place, "file", file)
                sinks.append(FileLines(file, sync=config.durability == "power"))
            case WebhookSink():
                if each.dead_letter_file is not None:
                    check(place, "webhook.dead_letter_file", each.dead_letter_file)
                sinks.append(_webhook(each, config))
            case _:
                assert_never(each)
    if problems:
        raise DocumentError(tuple(problems))
    return sinks


def _webhook(target: WebhookSink, config: AgentConfig) -> Webhook:
    letters = dead_letter_file(target, config)
    return Webhook(
        target.url,
        target.timeout,
        format=target.format,
        headers_file=target.headers_file,
        secret_file=target.secret_file,
        dead_letters=None
        if letters is None
        else DeadLetters(letters, sync=config.durability == "power"),
    )


def dead_letter_file(target: WebhookSink, config: AgentConfig) -> Path | None:
    """The dead letter file that is named, or one beside the store; `None` without a file."""
    if target.dead_letter_file is not None or not isinstance(config.store, Path):
        return target.dead_letter_file
    return config.store.with_name(f"{config.store.name}.dead-letters.jsonl")


def _unwritable(file: Path) -> str:
    try:
        if not file.parent.is_dir():
            return f"cannot be written: there is no folder {file.parent}: make it first"
        if stat.S_ISDIR(file.stat().st_mode):
            return f"cannot be written: {file} is a folder: name a file in it"
    except FileNotFoundError:
        return ""
    except OSError as error:
        return f"cannot be written: {error.strerror}"
    return ""
