"""Every command, with a line that works, and what of it are files.

`VALID` is compared with the tree of commands: who adds a command says here how it is called, and
it is treated as badly as the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from choreomon.cli import group
from choreomon.cli.command_line.writing import WrittenPath
from tests.cli.command_line import VIOLATED, choreomon
from tests.cli.offline import INTERACTION, write_offline_files

VALID: Final = {
    "init": "out.yaml",
    "example": "smart-home-violating --output out",
    "check": "violated.yaml",
    "draw": "violated.yaml --output out.svg",
    "export": "violated.yaml --to shiviz --output out",
    "simulate": "violated.yaml --trace out --report out.html --junit out.xml --sarif out.json",
    "run": "violated.yaml --trace out --report out.html",
    "split": "violated.yaml --output out",
    "watch": "http://127.0.0.1:9 --once",
    "look": "traces/run-0.jsonl",
    "audit": "violated.yaml traces/run-0.jsonl --report out.html --junit out.xml --sarif out.json",
    "verify": "pass.htf fail.htf -i i.hif --jobs 2 --junit out.xml --sarif out.json",
    "explore": "i.hif --traces out --output out.svg",
    "canonize": "i.hif --output out.hif",
    "synthesize": "order.hif --output out.json --verifiers out --draw out.svg",
    "local-check": "local.htf --verifier verifiers/a.json --output out.json",
    "central-check": "areas/a.json areas/b.json areas/c.json --automaton automaton.json",
    "mutate": "pass.htf --kind swap-actions --output out",
    "join": "pass.htf --output out.htf",
    "slice": "pass.htf --output out",
    "generate": "--class C3 --output out.yaml",
    "generate-interaction": "--output out.hif --signature out.hsf",
    "experiment fig7": "--quick --jobs 2 --output out",
    "experiment fig8": "--quick --jobs 2 --output out",
    "experiment rq4": "--quick --jobs 2 --output out",
    "experiment all": "--quick --jobs 2 --output out",
    "experiment instances": "--quick --output out.svg",
    "experiment replicas": "--quick --output out.svg",
    "experiment multiprefix": "--interactions 1 --traces 1 --limit 1 --jobs 2 --budget 0.1 "
    "--output out",
    "experiment slices": "--multi-traces 1 --slices 1 --loops 1 --limit 1 --jobs 2 --budget 0.1 "
    "--output out",
    "experiment procedures": "order.hif --number 1 --tries 1 --length 2 3 --jobs 2 --output out",
    "keygen": "P1 --output out",
    "agent": "--config agent.yaml",
    "schema": "",
}
"""The words after the name. What is written begins with `out`."""

MORE: Final = {
    "verify": ("--sessions sessions.jsonl -i i.hif --output out.jsonl --jobs 2",),
    "draw": ("i.hif --trace pass.htf --output out.svg",),
}
"""Other lines of the same commands, with which other options can be used."""

GOES_ON: Final = ("agent", "run")
"""What is for ever, or has processes that outlive a test: never called in this process."""

LONG: Final = ("experiment fig7", "experiment fig8", "experiment rq4", "experiment all")
"""What takes too long to wait for its end."""


def commands() -> dict[str, click.Command]:
    """All of the tree, by their names, but for what is asked of an agent that runs."""

    def below(one: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
        if not isinstance(one, click.Group) or one.invoke_without_command:
            yield name, one
            return
        context = click.Context(one)
        for word in one.list_commands(context):
            found = one.get_command(context, word)
            assert found is not None
            yield from below(found, f"{name} {word}".strip())

    return dict(below(group, ""))


def lines() -> Iterator[tuple[str, list[str]]]:
    """The names of commands with words that work."""
    for name, words in VALID.items():
        for line in (words, *MORE.get(name, ())):
            yield name, line.split()


def read_options(command: click.Command) -> list[str]:
    """The options that name a file to read."""
    return [
        option.opts[-1]
        for option in command.params
        if isinstance(option, click.Option)
        and isinstance(option.type, click.Path)
        and not isinstance(option.type, WrittenPath)
    ]


def furnish(place: Path) -> None:
    """Files for all of `VALID`, in the current directory, which is `place`."""
    write_offline_files(place)
    order = INTERACTION.replace("loopW", "loopS")  # which has an automaton
    place.joinpath("order.hif").write_text(order, encoding="utf-8")
    place.joinpath("violated.yaml").write_text(VIOLATED, encoding="utf-8")
    place.joinpath("mapping.yaml").write_text("time: at\n", encoding="utf-8")
    place.joinpath("c.hcf").write_text("@analyze_option{ strategy = DFS }\n", encoding="utf-8")
    place.joinpath("local.htf").write_text("{ [a] a!m }", encoding="utf-8")
    place.joinpath("sessions.jsonl").write_text(
        '{"session": "s", "action": "a!m"}\n{"session": "s", "action": "b?m"}\n', encoding="utf-8"
    )
    made = [
        "simulate violated.yaml --trace traces",
        "synthesize order.hif --output automaton.json --verifiers verifiers",
        "local-check local.htf --verifier verifiers/a.json --output areas/a.json",
        "split violated.yaml --output tables",
        "keygen P1 --output keys",
    ]
    for name, log in (("b", "b?m.b!n"), ("c", "c?n")):
        place.joinpath(f"local-{name}.htf").write_text(f"{{ [{name}] {log} }}", encoding="utf-8")
        made.append(
            f"local-check local-{name}.htf --verifier verifiers/{name}.json "
            f"--output areas/{name}.json"
        )
    for line in made:
        answer = choreomon(*line.split())
        assert answer.code in (0, 1), (line, answer)
    place.joinpath("agent.yaml").write_text(
        "process: P1\n"
        "tables: [tables/P1.json]\n"
        "listen: tcp://127.0.0.1:0\n"
        "local: {path: s/agent.sock}\n"
        "insecure: true\n"
        "peers: {P2: 'tcp://127.0.0.1:9'}\n"
        "durability: 'off'\n",
        encoding="utf-8",
    )
