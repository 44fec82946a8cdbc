"""Once, before anything else runs: the keys, and the property split for its processes.

    python -m cluster.prepare PROPERTY FOLDER

FOLDER has a folder for each process, which is all that its agent is given: its configuration, its
table, its secret key, and the public keys of all. When they are there already, nothing is done:
agents that were split anew would be another system, and could not go on with what they have stored.
What agents that run are given later is by `cluster.rollout`.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

PREPARED: Final = "prepared"
"""The file, written last, with the digest of the property that a folder was prepared for."""

CONFIGURATION: Final = "agent.yaml"
"""The file, in the folder of a process, that its agent reads, and reads anew at a reload."""

AGENTS: Final = Path(__file__).parent / "agents"
"""Where the configurations are as an agent begins with them."""

BEGIN_ANEW: Final = "begin anew, without what the agents have stored: `make cluster-clean`"


class Unprepared(Exception):
    """It cannot be prepared. The message says why, and what to do."""


def prepare(property_file: Path, folder: Path) -> bool:
    """Whether there was something to do. Raises `Unprepared`."""
    digest = hashlib.sha256(property_file.read_bytes()).hexdigest()
    with tempfile.TemporaryDirectory() as temporary:
        tables = Path(temporary)
        split = choreomon("split", property_file, "--output", tables, "--json")
        processes = [(each["process"], each["file"]) for each in json.loads(split)["processes"]]
        found = {process: _digest_in(folder / process) for process, _ in processes}
        if all(each == digest for each in found.values()):
            return False
        if any(found.values()):
            raise Unprepared(f"{property_file} is not what was prepared: {BEGIN_ANEW}")
        for process, table in processes:
            own = folder / process
            own.mkdir(exist_ok=True)
            (own / "peers").mkdir(exist_ok=True)
            shutil.copy(tables / table, own / table)
            shutil.copy(AGENTS / f"{process}.yaml", own / CONFIGURATION)
            # A preparation that was cut off may have left keys that nobody was given.
            choreomon("keygen", process, "--output", own, "--force")
    for process, _ in processes:
        for other, _ in processes:
            shutil.copy(folder / other / f"{other}.pub", folder / process / "peers")
    for process, _ in processes:
        (folder / process / PREPARED).write_text(f"{digest}\n", encoding="ascii")
    return True


def _digest_in(folder: Path) -> str:
    try:
        return (folder / PREPARED).read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return ""


def choreomon(*arguments: str | Path) -> str:
    """What a command of choreomon prints. Raises `Unprepared`."""
    command = [sys.executable, "-m", "choreomon", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Unprepared(f"choreomon {arguments[0]}: {done.stderr.strip()}")
    return done.stdout


def main() -> int:
    """See the module."""
    try:
        did = prepare(Path(sys.argv[1]), Path(sys.argv[2]))
    except Unprepared as error:
        print(error, file=sys.stderr)
        return 1
    print("keys and tables are made" if did else "keys and tables are there already")
    return 0


if __name__ == "__main__":
    sys.exit(main())
