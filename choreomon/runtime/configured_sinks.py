"""The sinks that a configuration names."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import assert_never

from choreomon.core.errors import DocumentError, Problem
from choreomon.formats.agent_config import AgentConfig, FileSink, StdoutSink, WebhookSink
from choreomon.runtime.line_sinks import DescriptorLines, FileLines
from choreomon.runtime.sinks import Sink
from choreomon.runtime.webhook import Webhook


def make_sinks(config: AgentConfig) -> list[Sink]:
    """Those of `config.verdicts`, in its order. Nothing is opened yet.

    Where nothing is to be lost with the power, what a file took is on the disk. Raises
    `DocumentError` for files that surely cannot be written.
    """
    sinks: list[Sink] = []
    problems: list[Problem] = []
    for place, each in enumerate(config.verdicts):
        match each:
            case StdoutSink():
                sinks.append(DescriptorLines())
            case FileSink(file):
                if wrong := _unwritable(file):
                    line = config.lines.get(("verdicts", place), 0)
                    problems.append(Problem(config.file, line, f"verdicts[{place}].file", wrong))
                sinks.append(FileLines(file, sync=config.durability == "power"))
            case WebhookSink(url, timeout):
                sinks.append(Webhook(url, timeout))
            case _:
                assert_never(each)
    if problems:
        raise DocumentError(tuple(problems))
    return sinks


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
