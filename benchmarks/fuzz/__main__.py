"""Attack a real agent (`siege`) or what is pure in it (`guided`); or time the `worst` answers."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.faults.system import end_in_order
from benchmarks.fuzz import report

WRONG, USAGE = 1, 2


def main() -> int:
    """0 where nothing was wrong, 2 where something is missing to begin."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz", description=__doc__)
    parser.add_argument("what", nargs="?", choices=("siege", "guided", "worst"), default="siege")
    parser.add_argument("--frames", type=int, default=100_000, help="to each socket or target")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", type=Path, help="write the section to this page, too")
    given = parser.parse_args()
    command = f"python -m benchmarks.fuzz {' '.join(_without_page(sys.argv[1:]))}".strip()
    end_in_order()
    if given.what == "guided":
        from benchmarks.fuzz import guiding

        why = guiding.why_not()
        if why:
            print(why, file=sys.stderr)
            return USAGE
        lines, right = guiding.section(command, given.frames, given.seed)
    elif given.what == "worst":
        from benchmarks.fuzz import worst

        lines, right = worst.section(command)
    else:
        lines, right = _siege(command, given.frames, given.seed)
    section = "\n".join(lines)
    print(section)
    if given.write is not None:
        report.put(given.write, section)
    return 0 if right else WRONG


def _siege(command: str, frames: int, seed: int) -> tuple[Iterator[str], bool]:
    from benchmarks.fuzz.siege import WAYS, besiege

    found = asyncio.run(besiege(WAYS, frames=frames, seed=seed))
    wrong = [what for each in found for what in each.wrong + each.slow]
    return report.siege_section(command, seed, found), not wrong


def _without_page(arguments: list[str]) -> list[str]:
    if "--write" in arguments:
        place = arguments.index("--write")
        return arguments[:place] + arguments[place + 2 :]
    return arguments


if __name__ == "__main__":
    sys.exit(main())
