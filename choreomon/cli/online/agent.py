"""`choreomon agent`: run the sidecar of one process, and have a running one read its configuration
anew."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path

import click

from choreomon.cli import BAD_INPUT, NOTHING_FOUND
from choreomon.cli.command_line.examples import examples
from choreomon.cli.command_line.seconds import Real
from choreomon.cli.command_line.writing import WrittenPath, check_writable


@click.group(
    "agent",
    invoke_without_command=True,
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
@click.option("--config", "file", type=click.Path(), help="The agent's configuration.")
@click.option(
    "--trace",
    type=WrittenPath(whole=False),
    help="Write a line for each event that the vector clock counts, with its monotonic time.",
)
@click.pass_context
def command(context: click.Context, file: str | None, trace: Path | None) -> int:
    """Stand beside one process and monitor it, until SIGTERM or SIGINT; at SIGHUP it reads its
    configuration anew.

    Verdicts go where the configuration says, by default to the standard output, a JSON object a
    line; what else there is to say goes to the standard error.
    """
    if context.invoked_subcommand is not None:
        if file is not None or trace is not None:
            raise click.UsageError(f"give options behind `{context.invoked_subcommand}`")
        return NOTHING_FOUND
    if file is None:
        raise click.UsageError("Missing option '--config'.")
    from choreomon.agent_files.agent_config import load_tables
    from choreomon.agent_files.agent_document import load_agent_config
    from choreomon.runtime.agent_signals import run_agent
    from choreomon.runtime.event_loop import new_event_loop

    allow_descriptors()
    with ExitStack() as stack:
        hung_up = stack.enter_context(hang_ups())
        config = load_agent_config(file)
        tables = load_tables(config)
        sink = None
        if trace is not None:
            check_writable(trace)
            sink = stack.enter_context(trace.open("a", encoding="ascii", buffering=1))
        front = None
        if config.proxies is not None:
            from choreomon.proxies.front import Front

            front = partial(Front, proxies=config.proxies)
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            runner.run(run_agent(config, tables, trace=sink, hung_up=hung_up, front=front))
    return NOTHING_FOUND


@command.command(
    "reload",
    epilog=examples(
        (
            "choreomon agent reload --config shop.agent.yaml",
            "Have the running agent take its new tables and keys.",
        ),
        (
            "choreomon agent reload --config shop.agent.yaml --timeout 60",
            "Give an agent time that has much to do.",
        ),
    ),
)
@click.option(
    "--config", "file", type=click.Path(), required=True, help="The agent's configuration."
)
@click.option(
    "--timeout",
    type=Real(min=0.01, max=3600),
    default=10.0,
    show_default=True,
    help="Seconds in which the agent has to answer.",
)
def reload(file: str, timeout: float) -> int:
    """Have a running agent read its configuration anew, as at SIGHUP, and say whether it did. It
    goes on as before where something is wrong.

    It is asked where its service connects, so this is to be run as the same user.
    """
    from choreomon.agent_files.agent_config import load_tables
    from choreomon.agent_files.agent_document import load_agent_config
    from choreomon.runtime.reload_request import ask_to_reload

    config = load_agent_config(file)
    tables = load_tables(config)
    why = ask_to_reload(config, timeout)
    if why:
        click.echo(f"{file}: the agent goes on as before: {why}", err=True)
        return BAD_INPUT
    held = len(tables)
    click.echo(
        f"{file}: the agent of {config.process} has read it: {held} "
        f"{'table' if held == 1 else 'tables'}, of which {len(config.closing)} to be closed"
    )
    return NOTHING_FOUND


@contextmanager
def hang_ups() -> Iterator[Callable[[], bool]]:
    """Catch SIGHUP without acting on it until a later handler takes over; gives a function that
    tells whether one came."""
    noted: list[int] = []
    try:
        before = signal.signal(signal.SIGHUP, lambda number, _: noted.append(number))
    except ValueError:  # only the main thread hears of signals
        yield lambda: False
        return
    try:
        yield lambda: bool(noted)
    finally:
        signal.signal(signal.SIGHUP, before)


def allow_descriptors() -> None:
    """Allow as many files and sockets as the machine lets this process have: strangers who connect
    and say nothing use some up until they are given up."""
    try:
        import resource
    except ImportError:
        return
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
