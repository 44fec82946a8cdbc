"""What benchmarks of agents have in common on the command line: options that are numbers, and the
machine that results were measured on."""

from __future__ import annotations

import argparse
import os
import platform


def parser_for(module: str | None, **numbers: int) -> argparse.ArgumentParser:
    """A parser that is described by the first line of the docstring of a module, with an option
    for each number and its default."""
    parser = argparse.ArgumentParser(description=(module or "").split("\n", maxsplit=1)[0])
    for name, default in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    return parser


def machine() -> str:
    return f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def load_at_the(moment: str) -> str:
    return f"load of the machine at the {moment} {os.getloadavg()[0]:.1f}"
