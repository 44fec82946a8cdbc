"""`choreomon agent`: run the sidecar of one process."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack, suppress
from pathlib import Path

import click

from choreomon.cli import NOTHING_FOUND
from choreomon.cli.examples import examples
from choreomon.cli.writing import WrittenPath, check_writable


@click.command(
    "agent",
    epilog=examples(
        (
            "choreomon agent --config shop.agent.yaml",
            "Monitor the process of this configuration until ended.",
        ),
        (
            "choreomon agent --config shop.agent.yaml --trace events.jsonl",
            "Write down each event, too.",
        ),
    ),
)
@click.option(
    "--config", "file", type=click.Path(), required=True, help="The agent's configuration."
)
@click.option(
    "--trace",
    type=WrittenPath(whole=False),
    help="Write a line for each event that the vector clock counts, with its monotonic time.",
)
def command(file: str, trace: Path | None) -> int:
    """Stand beside one process and monitor it, until SIGTERM or SIGINT.

    Verdicts go where the configuration says, by default to the standard output, a JSON object a
    line; what else there is to say goes to the standard error.
    """
    from choreomon.formats.agent_config import load_agent_config, load_tables
    from choreomon.runtime.agent import run_agent
    from choreomon.runtime.event_loop import new_event_loop

    allow_descriptors()
    config = load_agent_config(file)
    tables = load_tables(config)
    with ExitStack() as stack:
        sink = None
        if trace is not None:
            check_writable(trace)
            sink = stack.enter_context(trace.open("a", encoding="ascii", buffering=1))
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            runner.run(run_agent(config, tables, trace=sink))
    return NOTHING_FOUND


def allow_descriptors() -> None:
    """As many files and sockets as the machine lets this process have: strangers who connect and
    say nothing use some up until they are given up."""
    try:
        import resource
    except ImportError:
        return
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
