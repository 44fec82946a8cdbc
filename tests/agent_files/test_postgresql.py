"""Where a journal is that is kept in PostgreSQL."""

from __future__ import annotations

from pathlib import Path

import pytest

from choreomon.agent_files.agent_document import parse_agent_config
from choreomon.agent_files.postgresql import PostgresqlStore, postgresql_defects
from choreomon.core.errors import DocumentError

AGENT = """\
process: shop/2
tables: [shop.json]
listen: tcp://127.0.0.1:0
local: {path: run/agent.sock}
insecure: true
"""
LOCAL = "postgresql://monitor@127.0.0.1:5433/monitoring"


def told(url: str, **fields: float) -> list[str]:
    store = PostgresqlStore(url, **fields)  # type: ignore[arg-type]
    return [f"{defect.path[0]}: {defect.message}" for defect in postgresql_defects(store, 5.0)]


def test_a_store_is_a_file_or_a_server() -> None:
    of_server = AGENT + f"store: {{postgresql: '{LOCAL}', lease: 1m, holder: shop-7d9}}\n"
    store = parse_agent_config(of_server, "agent.yaml").store
    assert store == PostgresqlStore(LOCAL, lease=60.0, holder="shop-7d9")
    assert str(store) == f"{LOCAL}, schema choreomon"
    found = parse_agent_config(AGENT + "store: shop.db\n", "agent.yaml")
    assert found.store == Path("shop.db")


@pytest.mark.parametrize(
    ("store", "message"),
    [
        ("{postgres: x}", "6: store.postgres: is no key of this mapping; did you mean"),
        ("{schema: x}", "6: store.postgresql: is missing: give a URL as libpq has it"),
        ("{postgresql: 'mysql://x'}", "6: store.postgresql: should be a URL such as postgresql://"),
        ("{postgresql: 'postgresql:///x', lease: 2s}", "6: store.lease: should be longer than the"),
        ("{postgresql: ''}", "6: store.postgresql: "),
        ("7", "6: store: should be"),
    ],
)
def test_what_is_wrong_is_told_at_its_line(store: str, message: str) -> None:
    with pytest.raises(DocumentError) as refused:
        parse_agent_config(f"{AGENT}store: {store}\n", "agent.yaml")
    assert message in str(refused.value)


@pytest.mark.parametrize(
    "url",
    [
        LOCAL,
        "postgres:///monitoring",
        "postgresql://%2Frun%2Fpostgresql/monitoring",
        "postgresql:///monitoring?host=/run/postgresql",
        "postgresql://monitor@[::1]:5433/monitoring",
        "postgresql://db.internal/monitoring?sslmode=verify-full&passfile=pg.pass",
        "postgresql://one:1,two:2/monitoring?sslmode=verify-full",
    ],
)
def test_urls_as_libpq_has_them(url: str) -> None:
    assert told(url) == []


def test_no_password_and_nothing_in_plain_text_over_a_network_by_oversight() -> None:
    (password,) = told("postgresql://monitor:secret@localhost/monitoring")
    assert password.startswith("postgresql: has a password in it: let passfile=FILE")
    assert told("postgresql:///monitoring?password=secret") == [password]
    (plain,) = told("postgresql://127.0.0.1,db.internal/monitoring")
    assert plain.startswith("postgresql: has no sslmode: say sslmode=verify-full")
    (plain,) = told("postgresql:///monitoring?host=db.internal")
    assert "sslmode" in plain
    assert told("postgresql://[::1/monitoring") == [
        "postgresql: should be a URL such as "
        "postgresql://shop@db.internal/monitoring?sslmode=verify-full"
    ]


def test_a_lease_outlasts_the_promise_to_services_and_two_answers() -> None:
    assert told(LOCAL, lease=5.0)[0].startswith("lease: should be longer than the lease of serv")
    assert told(LOCAL, lease=6.0, timeout=3.0) == [
        "timeout: should be shorter than half of the lease, 6s, not 3s: else none is renewed in "
        "time"
    ]


def test_a_holder_is_named_by_its_machine_and_where_its_service_connects() -> None:
    assert PostgresqlStore(LOCAL, holder="pod").named_holder("run/agent.sock") == "pod"
    one, other = (PostgresqlStore(LOCAL).named_holder(local) for local in ("a.sock", "b.sock"))
    assert one != other
    assert one.endswith(":a.sock")
