"""The commands and documents that the documentation shows, and running them for real.

In a block marked `console`, a line that starts with `$ choreomon` is a command and the
lines up to the next command are what it prints, on the screen and as errors; `...` on a
line of its own stands for any lines. `$ echo $?` shows the exit code of the command
before; a command without it must end with 0. A block marked `yaml` is a complete
document; where its first line is `# NAME.yaml`, later commands of the page find it under
that name. So they find what a block marked `hibou` holds, whose first line is its name in a
comment, as in `/* NAME.hif */`, and any block with a name behind its kind, as in `json NAME.json`.
Commands run in a directory of their own, in which `scenarios` is ours.

Pages about live agents are others: their commands need a real shell, with processes in the
background, and their YAML is not that of documents. See `tests/docs`.

    python -m tests.scenarios.console_blocks

writes what the commands print now into the pages, except where there is a `...`, and
draws the pictures anew.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from choreomon.cli import main

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
LIVE_PAGES = [
    ROOT / "docs" / name
    for name in (
        *("agent-protocol.md", "instrument.md", "live.md", "logs.md", "operations.md", "pytest.md"),
        *("brokers.md", "deploy.md", "mcp.md", "opentelemetry.md", "proxies.md"),
        *("sessions.md", "webhooks.md"),
    )
]
DOCUMENT_PAGES = [page for page in PAGES if page not in LIVE_PAGES]
"""Pages about documents and what is done with them in one process."""
ANY_LINES = "..."

PICTURES = {
    "asked.svg": ("docs/verdicts.md", "choreomon draw asked.yaml --run"),
    "refunds.svg": ("docs/tutorial.md", "choreomon draw refunds-again.yaml"),
    "shop-run.svg": ("docs/tutorial.md", "choreomon draw shop.yaml --run"),
    "order.svg": ("docs/verify.md", "choreomon draw order.hif"),
    "order-slice.svg": (
        "docs/verify.md",
        "choreomon draw order.hif --trace logs/late.htf --mode slice --explain",
    ),
    "order-apart.svg": (
        "docs/verify.md",
        "choreomon draw order.hif --trace apart.htf --explain",
    ),
    "door.svg": ("docs/automata.md", "choreomon draw door.timbuk --locations places.json"),
    "fig3-push.svg": (
        "docs/verdicts.md",
        "choreomon draw scenarios/fig3-pull-push-conforming.yaml --run --strategy push",
    ),
    "fig4.svg": ("docs/properties.md", "choreomon draw automaton.yaml"),
    "smart-home.svg": ("README.md", "choreomon draw scenarios/smart-home-violating.yaml"),
    "smart-home-run.svg": ("README.md", "choreomon draw scenarios/smart-home-violating.yaml --run"),
}
"""The pictures of `docs/pictures`: the page where each stands, and how it was drawn."""

_DECORATING = ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE")
"""Variables of the environment that make rich think that it writes to a terminal."""

_BLOCK = re.compile(r"^```([a-z]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
_FILE = re.compile(r"^```[a-z]+ ([\w-]+\.\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NAMED = re.compile(r"# ([\w-]+\.yaml)\n")
_NAMED_HIBOU = re.compile(r"/\* ([\w/-]+\.h[istc]f) \*/\n")


@dataclass(frozen=True)
class Command:
    """A command with what the page says that it prints, and its exit code."""

    line: str
    printed: str
    code: int


@dataclass(frozen=True)
class Printed:
    """What a command really printed, and its exit code."""

    text: str
    code: int


def blocks_of(page: Path, kind: str) -> list[str]:
    """The contents of the blocks of one kind."""
    text = page.read_text(encoding="utf-8")
    return [block for found, block in _BLOCK.findall(text) if found == kind]


def documents_of(page: Path) -> list[tuple[str, str]]:
    """The documents of a page, each with the name that it says it has."""
    blocks = blocks_of(page, "yaml")
    return [(_name_of(block) or f"block-{n}.yaml", block) for n, block in enumerate(blocks, 1)]


def hibou_files_of(page: Path) -> list[tuple[str, str]]:
    """The files in HIBOU's formats that a page shows, each with its name."""
    named = [(_NAMED_HIBOU.match(block), block) for block in blocks_of(page, "hibou")]
    return [(name.group(1), block) for name, block in named if name is not None]


def commands_in(block: str) -> list[Command]:
    """The commands of one console block."""
    commands: list[Command] = []
    for line, printed in _COMMAND.findall(block):
        if line == "echo $?":
            last = commands.pop()
            commands.append(Command(last.line, last.printed, int(printed)))
        else:
            commands.append(Command(line, printed, 0))
    return commands


@contextlib.contextmanager
def workplace(page: Path) -> Iterator[Path]:
    """A directory in which the commands of a page find what they name."""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        place = Path(name)
        (place / "scenarios").symlink_to(ROOT / "scenarios")
        for file, text in documents_of(page):
            (place / file).write_text(text, encoding="utf-8")
        for file, text in _FILE.findall(page.read_text(encoding="utf-8")):
            (place / file).write_text(text, encoding="utf-8")
        for file, text in hibou_files_of(page):
            (place / file).parent.mkdir(parents=True, exist_ok=True)
            (place / file).write_text(text, encoding="utf-8")
        yield place


def run(line: str) -> Printed:
    """Run a command in this process, as its console script would."""
    program, *arguments = shlex.split(line)
    if program != "choreomon":
        raise ValueError(f"not a command of ours: {line}")
    screen = io.StringIO()
    inherited = {k: v for k, v in os.environ.items() if k not in _DECORATING}
    with (
        patch.dict(os.environ, {**inherited, "COLUMNS": "88", "NO_COLOR": "1"}, clear=True),
        patch.object(sys, "argv", ["choreomon", *arguments]),
        contextlib.redirect_stdout(screen),
        contextlib.redirect_stderr(screen),
    ):
        code = 0
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
    return Printed(trimmed(screen.getvalue()), code)


def drawn(picture: str) -> bytes:
    """A picture as it is drawn now."""
    page, line = PICTURES[picture]
    with workplace(ROOT / page) as place:
        printed = run(f"{line} -o {picture}")
        if printed.code:
            raise ValueError(f"{line}: {printed.text}")
        return (place / picture).read_bytes()


def trimmed(text: str) -> str:
    """Without spaces at the ends of lines and empty lines around."""
    return "".join(f"{line.rstrip()}\n" for line in text.strip("\n").splitlines())


def matches(shown: str, printed: str) -> bool:
    """Whether a page shows what was printed."""
    parts = [re.escape(line) + "\n" for line in trimmed(shown).splitlines()]
    any_lines = re.escape(ANY_LINES) + "\n"
    pattern = "".join("(?:.*\n)*" if part == any_lines else part for part in parts)
    return re.fullmatch(pattern, printed) is not None


def _name_of(block: str) -> str | None:
    named = _NAMED.match(block)
    return named.group(1) if named else None


def renewed(page: Path) -> str:
    """The text of a page with what its commands print now."""
    with workplace(page):
        return _BLOCK.sub(_renewed_block, page.read_text(encoding="utf-8"))


def _renewed_block(block: re.Match[str]) -> str:
    kind, text = block.groups()
    if kind != "console":
        return block.group()
    lines: list[str] = []
    printed = Printed("", 0)
    for line, shown in _COMMAND.findall(text):
        lines.append(f"$ {line}\n")
        if line == "echo $?":
            lines.append(f"{printed.code}\n")
            continue
        printed = run(line)
        keeps = f"{ANY_LINES}\n" in shown or not printed.text
        lines.append(shown if keeps else printed.text)
    return "```console\n" + "".join(lines) + "```"


if __name__ == "__main__":
    for path in DOCUMENT_PAGES:
        path.write_text(renewed(path), encoding="utf-8")
    for name in PICTURES:
        (ROOT / "docs" / "pictures" / name).write_bytes(drawn(name))
