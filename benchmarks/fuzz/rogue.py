"""The bad one, a process of its own: `python -m benchmarks.fuzz.rogue WAY FOLDER FRAMES SEED`.

It prints what it did as JSON: how many frames it `sent`, of which so many must be `refused`, by
reason, whatever the state of the agent; how often it asked whether it is still answered (`asked`),
how often it was (`answered`) and how long that took at most (`longest`, seconds).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from random import Random

from benchmarks.fuzz.rogue_peer import answers, asks
from benchmarks.fuzz.rogue_service import pages, streams
from benchmarks.fuzz.rogue_stranger import strangers
from benchmarks.fuzz.told import Told

WAYS = {
    "asks": asks,
    "answers": answers,
    "streams": streams,
    "pages": pages,
    "strangers": strangers,
}


def main() -> int:
    way, folder, frames, seed = sys.argv[1:]
    told = Told()
    with open(Path(folder) / "rogue.json", encoding="ascii") as file:
        where = json.load(file)
    WAYS[way](Random(f"{way} {seed}"), int(frames), where, told)
    print(json.dumps(vars(told)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
