"""`choreomon watch`: what live agents found, and what they are doing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlsplit

import click

from choreomon.cli import NOTHING_FOUND, ONLY_POSSIBLE, VIOLATION
from choreomon.cli.command_line.chosen_instances import chosen_values
from choreomon.cli.command_line.examples import examples
from choreomon.cli.command_line.seconds import Real

if TYPE_CHECKING:
    from rich.console import Console

    from choreomon.terminal.watch import Chosen, Polled

MOST_VERDICTS: Final = 10
ANYWHERE: Final = {"*": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}
"""Addresses on this machine of an agent that listens on all interfaces."""
WAITING: Final = 0.1
"""Seconds between two looks of `--wait`."""


class Target(NamedTuple):
    """An agent to ask. `name`: its name while it is unavailable."""

    name: str
    url: str


@click.command(
    "watch",
    epilog=examples(
        ("choreomon watch http://127.0.0.1:7680", "Show one agent until interrupted."),
        (
            "choreomon watch --once --json --config shop.agent.yaml",
            "Look once at the agent of a configuration, for scripts.",
        ),
    ),
)
@click.argument("urls", metavar="[URL]...", nargs=-1)
@click.option(
    "--config",
    "configs",
    multiple=True,
    type=click.Path(),
    help="The agent with this configuration, on this machine; may be given several times.",
)
@click.option("--once", is_flag=True, help="Look once; the exit code says what was seen.")
@click.option(
    "--wait",
    type=Real(min=0, max=3600),
    metavar="SECONDS",
    help="With --once: look when all agents are ready and no event waits for its last verdict, or "
    "when so many seconds are over.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object each time it looks.")
@click.option("--explain", is_flag=True, help="Show the reasons of verdicts, too.")
@click.option(
    "--labels",
    is_flag=True,
    help="Show when events of each label were last told, those first that never were.",
)
@click.option(
    "--verdicts",
    "most",
    type=click.IntRange(min=0),
    default=MOST_VERDICTS,
    show_default=True,
    help="Verdicts that are shown, the gravest first and of equal ones the last.",
)
@click.option(
    "--for",
    "of",
    multiple=True,
    metavar="NAME=VALUE",
    help="Only verdicts about instances where this parameter has this value, as order=A-17; may be "
    "given several times. Counts and the exit code are then about the last verdicts that agents "
    "have.",
)
@click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="ID",
    help="Only verdicts about this rule; may be given several times. Counts and the exit code are "
    "then about the last verdicts that agents have.",
)
@click.option(
    "--interval",
    type=Real(min=0.1, max=3600),
    default=1.0,
    show_default=True,
    help="Seconds between two looks.",
)
@click.option(
    "--timeout",
    type=Real(min=0.01, max=3600),
    default=2.0,
    show_default=True,
    help="Seconds after which an agent counts as unreachable.",
)
def command(
    urls: tuple[str, ...],
    configs: tuple[str, ...],
    once: bool,
    wait: float | None,
    as_json: bool,
    explain: bool,
    labels: bool,
    most: int,
    of: tuple[str, ...],
    rules: tuple[str, ...],
    interval: float,
    timeout: float,
) -> int:
    """Watch live agents. URL is where an agent serves its status (`http` in its configuration), as
    http://127.0.0.1:7680 or 127.0.0.1:7680.

    With --once the exit code is 1 where an agent has declared `violated` since its store was made,
    also before a restart, 3 where one has declared `possibly-violated` or cannot be reached, and
    else 0; with --wait it is 3 also where the time was over and nothing worse was seen.
    """
    targets = [_target(url) for url in urls] + [_configured(file) for file in configs]
    if not targets:
        raise click.UsageError("which agents? Give URLs, or --config agent.yaml")
    if wait is not None and not once:
        raise click.UsageError("--wait is for --once")
    from choreomon.terminal.watch import Chosen

    chosen = Chosen(chosen_values(of), rules)
    if as_json:
        printing = partial(_print_json, targets)
        return _watch(targets, once, interval, timeout, printing, wait, chosen)
    from choreomon.cli.command_line.screen import screens

    screen, _ = screens()
    if once or not screen.is_terminal:
        show = _printer(screen, most, explain, labels)
        return _watch(targets, once, interval, timeout, show, wait, chosen)
    return _live(screen, targets, most, explain, labels, interval, timeout, chosen)


def _target(url: str) -> Target:
    """Raises `UsageError`."""
    given = url if "://" in url else f"http://{url}"
    try:
        parts = urlsplit(given)
        wrong = parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0
    except ValueError:
        wrong = True
    if wrong or not given.isascii() or not given.isprintable() or " " in given:
        raise click.UsageError(
            f"{url!r} is no URL of an agent: give its address, as in http://127.0.0.1:7680"
        )
    path = parts.path if parts.path.strip("/") else "/status"
    return Target(parts.netloc.rpartition("@")[2], parts._replace(path=path).geturl())


def _configured(file: str) -> Target:
    """Raises `DocumentError` for a configuration that is none, or of an agent without status."""
    from choreomon.agent_files.agent_document import load_agent_config
    from choreomon.core.errors import DocumentError, Problem

    config = load_agent_config(file)
    if config.http is None or config.http.port == 0:
        told = "is missing" if config.http is None else "has port 0, which is any"
        told += ", so that nobody can ask for its status: give one, as in http: 127.0.0.1:7680"
        raise DocumentError((Problem(config.file, config.lines.get(("http",), 0), "http", told),))
    address = config.http._replace(host=ANYWHERE.get(config.http.host, config.http.host))
    return Target(config.process, f"http://{address}/status")


# ---------------------------------------------------------------- looking


async def _look(target: Target, timeout: float) -> Polled:
    from choreomon.agent_files.status_json import decode_status_untrusted
    from choreomon.core.errors import MalformedMessage
    from choreomon.runtime.delivery.http_client import RequestFailed, request
    from choreomon.terminal.watch import Polled

    try:
        response = await request(target.url, timeout=timeout)
        if response.status != 200:
            return Polled(target.name, None, f"it answers {response.status}")
        return Polled(target.name, decode_status_untrusted(response.body))
    except (RequestFailed, MalformedMessage) as error:
        return Polled(target.name, None, str(error))


def _watch(
    targets: Sequence[Target],
    once: bool,
    interval: float,
    timeout: float,
    show: Callable[[Sequence[Polled]], None],
    wait: float | None = None,
    chosen: Chosen | None = None,
) -> int:
    """Look and show, once or for ever; the exit code. `wait`: show once what is settled, or what
    there is after this many seconds. `chosen`: which verdicts are wanted."""
    from choreomon.core.verdict import VIOLATED
    from choreomon.terminal.watch import (
        chosen_verdicts,
        remembered,
        settled,
        unknown_rules,
        worst_seen,
        worst_told,
    )

    async def look() -> Sequence[Polled]:
        looked = await asyncio.gather(*(_look(target, timeout) for target in targets))
        return looked if chosen is None or chosen.is_everything else chosen_verdicts(looked, chosen)

    async def watch() -> Sequence[Polled]:
        looked = await look()
        if wait is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    while not settled(looked):
                        await asyncio.sleep(WAITING)
                        looked = remembered(looked, await look())
        if chosen is not None:  # only now: a rule may go while it is watched
            _check_known(*unknown_rules(looked, chosen.rules))
        show(looked)
        while not once:
            await asyncio.sleep(interval)
            looked = remembered(looked, await look())
            show(looked)
        return looked

    looked = asyncio.run(watch())
    worst = (
        worst_told(looked)
        if chosen is not None and not chosen.is_everything
        else worst_seen(looked)
    )
    if worst is None:
        unsettled = wait is not None and not settled(looked)
        return ONLY_POSSIBLE if unsettled else NOTHING_FOUND
    return VIOLATION if worst == VIOLATED else ONLY_POSSIBLE


def _check_known(missing: Sequence[str], known: Sequence[str]) -> None:
    """Raises `UsageError` where there are rules that no agent tells of."""
    if missing:
        from choreomon.core.suggestion import unknown

        raise click.UsageError(unknown("rule", missing[0], known))


# ---------------------------------------------------------------- showing


def _print_json(targets: Sequence[Target], looked: Sequence[Polled]) -> None:
    from choreomon.agent_files.status_json import status_as_json

    agents: list[dict[str, Any]] = []
    for target, each in zip(targets, looked, strict=True):
        found: dict[str, Any] = {"agent": target.name, "reachable": each.status is not None}
        if each.status is None:
            found["why"] = each.why
        else:
            found["status"] = status_as_json(each.status)
        agents.append(found)
    click.echo(json.dumps({"agents": agents}, separators=(",", ":")))


def _printer(
    screen: Console, most: int, explain: bool, labels: bool
) -> Callable[[Sequence[Polled]], None]:
    from choreomon.terminal.watch import watch_screen

    def show(looked: Sequence[Polled]) -> None:
        screen.print(
            watch_screen(looked, width=screen.width, most=most, explain=explain, labels=labels)
        )

    return show


def _live(
    screen: Console,
    targets: Sequence[Target],
    most: int,
    explain: bool,
    labels: bool,
    interval: float,
    timeout: float,
    chosen: Chosen,
) -> int:
    from rich.live import Live

    from choreomon.terminal.watch import watch_screen

    with Live(console=screen, auto_refresh=False) as live:

        def show(looked: Sequence[Polled]) -> None:
            # A screen that is too low should lack the least grave verdicts.
            for count in range(most, -1, -1):
                shown = watch_screen(
                    looked, width=screen.width, most=count, explain=explain, labels=labels
                )
                if len(screen.render_lines(shown, pad=False)) < screen.height:
                    break
            live.update(shown, refresh=True)

        return _watch(targets, False, interval, timeout, show, chosen=chosen)
