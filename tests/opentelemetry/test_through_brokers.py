"""Two services that talk through a real broker are monitored by what instruments them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.opentelemetry.test_two_services import assert_in_time, assert_violated_once, both_ends
from tests.opentelemetry.watched import needs, property_of, watched
from tests.sdk.brokers.real_brokers import broker

CLIENTS = [("aio_pika", "rabbitmq"), ("pika", "rabbitmq"), ("aiokafka", "kafka")]


@pytest.mark.parametrize(("client", "kind"), CLIENTS, ids=[client for client, _ in CLIENTS])
def test_messages_are_told_once_and_in_time(client: str, kind: str, tmp_path: Path) -> None:
    """One after the other, so that it is known what has been told when one is handled."""
    needs(client, f"opentelemetry.instrumentation.{client}")
    folder = tmp_path / "broker"
    folder.mkdir()
    names = ["charge", "off", "charge"]
    with (
        broker(kind, folder) as port,
        watched(tmp_path, property_of(off="off", charge="charge")) as two,
    ):
        mapping = two.mapping("format: otlp\nprocesses: {off: worker, charge: worker}\n")
        two.start("worker", f"{client}_worker.py", str(port))
        for number, name in enumerate(names, start=1):
            two.run("caller", f"{client}_caller.py", str(port), name, CHOREOMON_MAPPING=mapping)
            two.wait_for(lambda number=number: len(two.seen) == number)  # type: ignore[misc]
        assert two.told == both_ends(*names)
        assert_in_time(two, names, names)
        assert_violated_once(two)
