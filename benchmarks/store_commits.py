"""What a commit of an agent's journal costs, in a file of SQLite and in PostgreSQL.

    python -m benchmarks.store_commits --url postgresql://USER@HOST/DATABASE [--folder FOLDER]
        [--commits N] [--write FILE]

Rows of 300 bytes, one after the other, the stores in turn in rounds of 50: of a file in FOLDER with
`durability: process` and `power`, and of a slot in PostgreSQL, which has to be on the same disk.
Each commit of the latter locks the lease. Own time is processor time of this process; that of the
server is left out.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import click

from benchmarks.command_line import load_at_the, machine
from choreomon.core.roles import NO_ROLES
from choreomon.runtime.stores.postgresql.leases import PostgresLeases
from choreomon.runtime.stores.postgresql.server import Address, Server
from choreomon.runtime.stores.sqlite import SqliteStore

ROUND: Final = 50
ROW: Final = bytes(range(256)) + bytes(44)


def measured(commits: dict[str, Callable[[bytes], None]], rounds: int) -> list[str]:
    """Rows of a table: median and 99th percentile in milliseconds, own microseconds a commit."""
    times: dict[str, list[float]] = {name: [] for name in commits}
    own = dict.fromkeys(commits, 0.0)
    for _ in range(rounds):
        for name, commit in commits.items():
            used = time.process_time()
            for _ in range(ROUND):
                began = time.perf_counter()
                commit(ROW)
                times[name].append(time.perf_counter() - began)
            own[name] += time.process_time() - used
    rows = []
    for name, found in times.items():
        found.sort()
        late = found[len(found) * 99 // 100]
        a_commit = own[name] / len(found) * 1e6
        median = statistics.median(found)
        rows.append(f"| {name} | {median * 1e3:.2f} | {late * 1e3:.2f} | {a_commit:.0f} |")
    return rows


@click.command(help=__doc__)
@click.option("--url", required=True, help="The server, as libpq has it.")
@click.option("--folder", type=click.Path(path_type=Path, file_okay=False), help="For the files.")
@click.option("--commits", type=click.IntRange(min=ROUND), default=2000, show_default=True)
@click.option("--write", type=click.Path(path_type=Path), help="Write a page, too.")
def main(url: str, folder: Path | None, commits: int, write: Path | None) -> None:
    load = load_at_the("beginning")
    schema = f"choreomon_benchmark_{os.getpid()}"
    server = Server(Address(url, schema, 10.0))
    options = {"holder": "benchmark", "address": "tcp://127.0.0.1:1"}
    leases = PostgresLeases(server, **options, seconds=3600.0, roles=NO_ROLES, systems=())
    taken = leases.take("shop/0", used=True)
    assert taken is not None
    try:
        with TemporaryDirectory(dir=folder) as inside:
            files = [
                SqliteStore(Path(inside, name), name, "boot")  # type: ignore[arg-type]
                for name in ("process", "power")
            ]
            stores = {
                "SQLite, `process`": files[0].commit,
                "SQLite, `power`": files[1].commit,
                "PostgreSQL": taken.store.commit,
            }
            measured(stores, 1)
            rows = measured(stores, commits // ROUND)
            for file in files:
                file.close()
    finally:
        server.connection().script(f"DROP SCHEMA {schema} CASCADE")
        server.close()
    page = "\n".join(
        [
            "# What a commit costs\n",
            (__doc__ or "").split("\n\n", 2)[2].strip(),
            f"\n{machine()}; {commits} commits each; {load}; {load_at_the('end')}.\n",
            "| store | median, ms | 99th of 100, ms | own processor, us |",
            "|---|--:|--:|--:|",
            *rows,
            "",
        ]
    )
    click.echo(page)
    if write is not None:
        write.write_text(page)


if __name__ == "__main__":
    main()
