"""`choreomon keygen`: the keys by which agents know each other."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import click

from choreomon.cli import NOTHING_FOUND
from choreomon.cli.command_line.examples import examples
from choreomon.cli.command_line.writing import WrittenPath, write_all

SECRET_MODE: Final = 0o600
PUBLIC_MODE: Final = 0o644


@click.command(
    "keygen",
    epilog=examples(
        ("choreomon keygen shop", "Write shop.key, which is secret, and shop.pub for the others."),
        ("choreomon keygen bank -o keys --force", "Replace the keys of a process in a folder."),
    ),
)
@click.argument("name")
@click.option(
    "-o",
    "--output",
    type=WrittenPath(directory=True),
    default=".",
    help="The folder for the two files, made where there is none; otherwise the current one.",
)
@click.option("--force", is_flag=True, help="Replace the keys of the process in the folder.")
def command(name: str, output: Path, force: bool) -> int:
    """Make keys for the agent of process NAME: the secret NAME.key, and NAME.pub for the others.

    Only the agent of NAME may read NAME.key. Every agent that NAME asks, or that asks NAME, needs
    NAME.pub in its folder of public keys; where keys are replaced, all of them need the new one.
    """
    from choreomon.agent_files.key_files import (
        PublicKey,
        public_file,
        secret_file,
        write_key_pair,
        write_public_key,
    )
    from choreomon.core.names import NAME_RULE, name_defect
    from choreomon.runtime.network.security import make_key_pair

    if defect := name_defect(name):
        told = f"{name!r} is no name of a process, which has {NAME_RULE}"
        raise click.UsageError(f"{told}: it {defect}")
    secret, public = output / secret_file(name), output / public_file(name)
    _check_free((secret, public), force)
    pair = make_key_pair(name)
    write_all(
        {
            secret: write_key_pair(pair).encode("utf-8"),
            public: write_public_key(PublicKey(name, pair.public)).encode("utf-8"),
        },
        modes={secret: SECRET_MODE, public: PUBLIC_MODE},
        durable=True,
        replace=force,
        through_links=False,
    )
    click.echo(f"{secret}: the secret key. Only the agent of {name} may read it.")
    click.echo(
        f"{public}: the public key. Copy it to every agent that {name} asks, or that asks {name}."
    )
    return NOTHING_FOUND


def _check_free(paths: tuple[Path, ...], force: bool) -> None:
    """Raises `ClickException` where something is at one of the paths that may not be replaced."""
    for path in paths:
        if path.is_dir():
            raise click.ClickException(f"{path}: is a directory: name another one with -o")
        if os.path.lexists(path) and not force:
            raise click.ClickException(
                f"{path}: is there already, and whoever has the old key would not know the new "
                "one: name another folder with -o, or add --force to replace it"
            )
