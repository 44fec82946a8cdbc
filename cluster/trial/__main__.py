"""Start the cluster under a name of its own, try it, show what held, and remove it.

    python -m cluster.trial [--or-skip] [--limit SECONDS] [--logs FILE]

Exit code 0: all held; 1: something did not; 2: there is no docker here, unless `--or-skip`.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NoReturn

from rich.console import Console
from rich.table import Table
from rich.text import Text

from cluster.trial import faults
from cluster.trial.containers import Containers, DockerFailed, NoDocker
from cluster.trial.course import Course, OutOfTime, Row

FOLDER: Final = Path(__file__).parents[2]
LIMIT: Final = 600.0
"""Seconds for building and all checks, which take some three minutes on a machine that does nothing
else; removing has bounds of its own."""


def main() -> int:
    """See the module."""
    parser = argparse.ArgumentParser(prog="cluster.trial", description="Try the cluster.")
    parser.add_argument("--or-skip", action="store_true", help="without docker, exit 0")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds for all checks")
    parser.add_argument("--logs", type=Path, default=FOLDER / "out/cluster-test.log")
    arguments = parser.parse_args()
    try:
        containers = Containers(f"choreomon-test-{os.getpid()}", FOLDER)
    except NoDocker as missing:
        skipped = "skipped" if arguments.or_skip else "cannot run"
        print(f"cluster-test: {skipped}: {missing}", file=sys.stderr)
        return 0 if arguments.or_skip else 2
    # So that everything is removed then, too.
    signal.signal(signal.SIGTERM, _interrupted)
    course = Course(containers, limit=arguments.limit, say=lambda line: print(line, flush=True))
    began = time.monotonic()
    try:
        with course.check("image built"):
            containers.compose("build", "--quiet", "prepare", timeout=600)
        with course.check("all containers are healthy"):
            containers.compose("up", "--detach", "--no-build", timeout=120)
            course.all_ready()
        if all(row.passed for row in course.rows):
            faults.run(course)
    except OutOfTime as error:
        course.rows.append(Row("the trial came to its end", False, str(error), 0.0))
    except KeyboardInterrupt:
        course.rows.append(Row("the trial came to its end", False, "interrupted", 0.0))
    finally:
        if not all(row.passed for row in course.rows):
            arguments.logs.parent.mkdir(parents=True, exist_ok=True)
            arguments.logs.write_text(containers.logs(), encoding="utf-8")
            print(f"cluster-test: what the containers said is in {arguments.logs}")
        course.rows.append(_removed(containers))
    _show(course.rows)
    passed = sum(row.passed for row in course.rows)
    print(f"{passed} of {len(course.rows)} checks held, {time.monotonic() - began:.0f} s")
    return 0 if passed == len(course.rows) else 1


def _interrupted(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def _removed(containers: Containers) -> Row:
    began = time.monotonic()
    try:
        containers.remove()
        containers.remove_old_images()
        left = containers.left_behind()
        told = f"still there: {', '.join(left)}" if left else ""
    except DockerFailed as error:
        told = str(error)
    name = "containers, networks and volumes are removed"
    return Row(name, not told, told, time.monotonic() - began)


def _show(rows: Sequence[Row]) -> None:
    table = Table()
    for column in ("check", "", "", "s"):
        table.add_column(column, overflow="fold", justify="right" if column == "s" else "left")
    for row in rows:
        held = Text("ok", style="green") if row.passed else Text("FAILED", style="bold red")
        table.add_row(Text(row.name), held, Text(row.told), f"{row.seconds:.1f}")
    Console(width=None if sys.stdout.isatty() else 120).print(table)


if __name__ == "__main__":
    sys.exit(main())
