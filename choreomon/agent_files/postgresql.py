"""Where a journal is that is kept in PostgreSQL, and for whom.

No password is in a configuration: libpq finds it in a file (`passfile`, or `~/.pgpass`), or in the
environment (`PGPASSWORD`).
"""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from choreomon.core.errors import Defect

SCHEMES: Final = ("postgresql", "postgres")
SCHEMA: Final = "choreomon"


@dataclass(frozen=True, slots=True)
class PostgresqlStore:
    """Tables of PostgreSQL. `url` as libpq has it; `schema`: that of the monitored system.
    `timeout`: seconds that each answer is waited for; `lease`: after which others may take a slot
    whose agent is silent. `holder`: the name of the pod; empty: that of the machine, and where the
    service connects."""

    url: str
    schema: str = SCHEMA
    timeout: float = 2.0
    lease: float = 10.0
    holder: str = ""

    def __str__(self) -> str:
        return f"{self.url.partition('?')[0]}, schema {self.schema}"

    def named_holder(self, local: str) -> str:
        """The name by which leases know the agent whose service connects at `local`: the same when
        it is started again, and no other agent's."""
        return self.holder or f"{socket.gethostname()}:{local}"


def postgresql_defects(store: PostgresqlStore, service_lease: float) -> Iterator[Defect]:
    """Yields what is wrong with such a store, at fields of its own. `service_lease`: seconds for
    which a service may count on its agent."""
    try:
        parts = urlsplit(store.url)
        hosts = [host.rpartition("@")[2] for host in parts.netloc.split(",")]
    except ValueError:
        parts, hosts = urlsplit(""), []
    given = dict(parse_qsl(parts.query))
    if parts.scheme not in SCHEMES or not store.url.startswith(f"{parts.scheme}://"):
        told = (
            "should be a URL such as postgresql://shop@db.internal/monitoring?sslmode=verify-full"
        )
        yield Defect(("postgresql",), told)
        return
    if parts.password is not None or "password" in given:
        told = (
            "has a password in it: let passfile=FILE in the URL, PGPASSFILE, or PGPASSWORD say it"
        )
        yield Defect(("postgresql",), told)
    if "sslmode" not in given and not all(_is_local(host, given) for host in hosts):
        told = (
            "has no sslmode: say sslmode=verify-full, since what agents keep goes that way; or "
            "sslmode=disable, where nobody else can listen"
        )
        yield Defect(("postgresql",), told)
    if store.lease <= service_lease:
        told = f"should be longer than the lease of services, {service_lease:g}s, not"
        yield Defect(
            ("lease",), f"{told} {store.lease:g}s: else a service counts on an agent that was taken"
        )
    if store.timeout >= store.lease / 2:
        told = f"should be shorter than half of the lease, {store.lease:g}s, not"
        yield Defect(("timeout",), f"{told} {store.timeout:g}s: else none is renewed in time")


def _is_local(host: str, given: Mapping[str, str]) -> bool:
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
    name = name.strip("[]") or given.get("host", "")
    return not name or name.startswith(("/", "%2F", "127.")) or name in ("localhost", "::1")
