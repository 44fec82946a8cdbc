"""`choreomon example`: scenarios that come with choreomon, written down."""

from __future__ import annotations

import textwrap
from importlib.resources import files
from pathlib import Path

import click

from choreomon.cli import NOTHING_FOUND
from choreomon.cli.command_line.examples import examples
from choreomon.cli.command_line.writing import WrittenPath, write_new


@click.command(
    "example",
    epilog=examples(
        ("choreomon example", "Say which scenarios there are."),
        ("choreomon example lock-violating -o tried", "Write one of them to a folder."),
    ),
)
@click.argument("name", required=False)
@click.option(
    "-o",
    "--output",
    type=WrittenPath(directory=True),
    default=".",
    help="The folder to write to, made where there is none; otherwise the current one.",
)
@click.option("--force", is_flag=True, help="Replace files that are there.")
def command(name: str | None, output: Path, force: bool) -> int:
    """Write the scenario NAME, and the interaction that it states.

    NAME may be the beginning of several, which are all written then. Without NAME, say which there
    are, and what each is about.
    """
    every = _scenarios()
    if name is None:
        about: dict[str, list[str]] = {}
        for each, text in every.items():
            if each.endswith(".yaml"):
                about.setdefault(_subject(text), []).append(each.removesuffix(".yaml"))
        for subject, names in about.items():
            click.echo(", ".join(names))
            click.echo(textwrap.indent(textwrap.fill(subject, 90), "    "))
        return NOTHING_FOUND
    wanted = {each: text for each, text in every.items() if _is_meant(name, each)}
    if not any(each.endswith(".yaml") for each in wanted):
        from choreomon.core.suggestion import did_you_mean

        known = [each.removesuffix(".yaml") for each in every if each.endswith(".yaml")]
        meant = did_you_mean(name, known) or "; `choreomon example` says which there are"
        raise click.UsageError(f"there is no example {name!r}{meant}")
    for text in list(wanted.values()):
        stated = [other for other in every if f"\ninteraction: {other}\n" in text]
        wanted |= {other: every[other] for other in stated}
    write_new({output / each: text for each, text in wanted.items()}, force=force)
    for each in wanted:
        click.echo(output / each)
    return NOTHING_FOUND


def _scenarios() -> dict[str, str]:
    """The names of the files, sorted, and their texts."""
    folder = files("choreomon.scenarios")
    return {
        one.name: one.read_text(encoding="utf-8")
        for one in sorted(folder.iterdir(), key=lambda one: one.name)
        if one.name.endswith((".yaml", ".hif"))
    }


def _is_meant(name: str, file: str) -> bool:
    stem = file.rpartition(".")[0]
    return file.endswith(".yaml") and (stem == name or stem.startswith(f"{name}-"))


def _subject(text: str) -> str:
    """The first sentence of the comment at the beginning."""
    words: list[str] = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        words += line.lstrip("# ").split()
        if words and words[-1].endswith("."):
            break
    sentence = " ".join(words)
    return sentence.split(". ", maxsplit=1)[0].rstrip(".") + "."
