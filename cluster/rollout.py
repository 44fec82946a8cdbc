"""Another property for agents that run: what each step of a rollout gives them
(docs/operations.md, "Upgrades"). They know of it when they are told to reload.

    python -m cluster.rollout open FOLDER PROPERTY   split it after the present one; both are open
    python -m cluster.rollout close FOLDER           the old one is to be drained
    python -m cluster.rollout leave-out FOLDER       the old one goes

FOLDER is the one that `cluster.prepare` made.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from choreomon.agent_files.agent_document import load_agent_config
from cluster.prepare import CONFIGURATION, Unprepared, choreomon

GIVEN: Final = "/etc/choreomon"
"""Where an agent finds its folder."""


class Named(NamedTuple):
    """The names of the files of the tables that a configuration names."""

    tables: tuple[str, ...]
    closing: tuple[str, ...] = ()


def open_next(property_file: Path, folder: Path) -> None:
    """The next property beside the present one. Raises `Unprepared`."""
    before = _named(folder, Named(("one",)))
    with tempfile.TemporaryDirectory() as temporary:
        present, following = Path(temporary, "present"), Path(temporary, "following")
        present.mkdir()
        for process, named in before.items():
            shutil.copy(folder / process / named.tables[0], present / f"{process}.json")
        split = choreomon(
            "split", property_file, "--output", following, "--after", present, "--json"
        )
        files = {each["process"]: each["file"] for each in json.loads(split)["processes"]}
        for process, named in before.items():
            (present_file,) = named.tables
            table = next_name(process, present_file)
            shutil.copy(following / files[process], folder / process / table)
            _name(folder / process, Named((present_file, table)))


def close_old(folder: Path) -> None:
    """The older of two is to be drained. Raises `Unprepared`."""
    for process, named in _named(folder, Named(("old", "new"))).items():
        old, new = named.tables
        _name(folder / process, Named((new,), (old,)))


def leave_out(folder: Path) -> None:
    """What was to be drained goes. Raises `Unprepared`."""
    for process, named in _named(folder, Named(("new",), ("old",))).items():
        _name(folder / process, Named(named.tables))
        for old in named.closing:
            (folder / process / old).unlink()


def next_name(process: str, present: str) -> str:
    """Of the table that follows: `stock.json`, `stock-2.json`, `stock-3.json`, and so on."""
    numbered = re.fullmatch(r".*-([0-9]+)\.json", present)
    return f"{process}-{int(numbered[1]) + 1 if numbered else 2}.json"


def naming(text: str, named: Named) -> str:
    """A configuration that names these tables instead; all else stays."""
    lines = [f"tables: {_listed(named.tables)}"]
    if named.closing:
        lines.append(f"closing: {_listed(named.closing)}")
    without = re.sub(r"^closing: .*\n", "", text, flags=re.MULTILINE)
    return re.sub(r"^tables: .*$", "\n".join(lines), without, flags=re.MULTILINE)


def _listed(names: Sequence[str]) -> str:
    return f"[{', '.join(f'{GIVEN}/{name}' for name in names)}]"


def _name(own: Path, named: Named) -> None:
    configuration = own / CONFIGURATION
    text = naming(configuration.read_text(encoding="ascii"), named)
    configuration.write_text(text, encoding="ascii")


def _named(folder: Path, wanted: Named) -> Mapping[str, Named]:
    """By process what is named, where that is as many tables as `wanted` has."""
    found: dict[str, Named] = {}
    for configuration in sorted(folder.glob(f"*/{CONFIGURATION}")):
        config = load_agent_config(configuration)
        tables, closing = ([path.name for path in each] for each in (config.tables, config.closing))
        if (len(tables), len(closing)) != (len(wanted.tables), len(wanted.closing)):
            raise Unprepared(
                f"{configuration}: names {len(tables)} under `tables` and {len(closing)} under "
                f"`closing`, not {len(wanted.tables)} and {len(wanted.closing)}: do first what "
                "comes before this step (open, close, leave-out)"
            )
        found[config.process] = Named(tuple(tables), tuple(closing))
    if not found:
        raise Unprepared(f"{folder}: nothing is prepared there: start the cluster first")
    return found


def main() -> int:
    """See the module."""
    try:
        match sys.argv[1:]:
            case ["open", folder, property_file]:
                open_next(Path(property_file), Path(folder))
            case ["close", folder]:
                close_old(Path(folder))
            case ["leave-out", folder]:
                leave_out(Path(folder))
            case _:
                print(__doc__, file=sys.stderr)
                return 2
    except Unprepared as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
