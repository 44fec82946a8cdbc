"""`choreomon keygen`: the keys by which agents know each other."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import click

from choreomon.cli import NOTHING_FOUND
from choreomon.cli.writing import WrittenPath, make_directory

SECRET_MODE: Final = 0o600
PUBLIC_MODE: Final = 0o644


@click.command("keygen")
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
    from choreomon.formats.key_files import (
        PUBLIC_SUFFIX,
        SECRET_SUFFIX,
        PublicKey,
        write_key_pair,
        write_public_key,
    )
    from choreomon.formats.labels import NAME_PATTERN, NAME_RULE
    from choreomon.runtime.security import make_key_pair

    if not re.fullmatch(NAME_PATTERN, name):
        raise click.UsageError(f"{name!r} is no name of a process: {NAME_RULE}")
    make_directory(output)
    secret, public = output / f"{name}{SECRET_SUFFIX}", output / f"{name}{PUBLIC_SUFFIX}"
    _check_free((secret, public), force)
    pair = make_key_pair(name)
    _write_together(
        {
            secret: (write_key_pair(pair), SECRET_MODE),
            public: (write_public_key(PublicKey(name, pair.public)), PUBLIC_MODE),
        },
        force,
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


def _write_together(files: Mapping[Path, tuple[str, int]], force: bool) -> None:
    """Writes text and mode of each file or, where one cannot be written, none. At no moment one of
    them has more rights than that, or half of its text. Raises `ClickException`."""
    new = {path: path.with_name(f".{path.name}.{secrets.token_hex(8)}.new") for path in files}
    placed: list[Path] = []
    try:
        for path, (text, mode) in files.items():
            descriptor = os.open(new[path], os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(text.encode("utf-8"))
                stream.flush()
                os.fsync(descriptor)
        for path, prepared in new.items():
            _place(prepared, path, force)
            if not force:
                placed.append(path)
    except OSError as error:
        for path in placed:
            path.unlink()
        folder = next(iter(files)).parent
        raise click.ClickException(f"{folder}: cannot be written: {error.strerror}") from None
    finally:
        for prepared in new.values():
            with suppress(OSError):
                prepared.unlink()


def _place(prepared: Path, path: Path, force: bool) -> None:
    """Raises `OSError`."""
    if not force:
        try:
            os.link(prepared, path)  # replaces nothing, whoever was quicker
            return
        except FileExistsError:
            raise
        except OSError:  # not every file system has links
            pass
    prepared.replace(path)
