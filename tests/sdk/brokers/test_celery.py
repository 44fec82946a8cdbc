"""Tasks of Celery with a real worker on a thread, whose broker is in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from choreomon.core.errors import AgentUnavailable
from choreomon.sdk.process import BLOCKING_OFF
from tests.sdk.recording import BlockingRecording

celery = pytest.importorskip("celery", reason="celery is not installed")

from celery.contrib.testing.worker import start_worker  # noqa: E402
from celery.signals import setup_logging  # noqa: E402

from choreomon.sdk.brokers.celery import Call, monitoring  # noqa: E402

SECONDS = 60.0
"""After which a test has failed."""
SENT = ("send", "billing", "CHARGE", "order=A-17")
HANDLED = ("handle", "shop", "CHARGE", "AAAA", "order=A-17")


def values_of(call: Call) -> dict[str, Any]:
    return {"order": [*call.args, *call.kwargs.values()][0]}


class Shop:
    """An application whose task `charge` is billing's. `seen` has of each run the events before,
    and the headers of its message."""

    def __init__(self) -> None:
        self.process: Any = BLOCKING_OFF
        self.seen: list[tuple[list[Any], Any]] = []
        self.app = celery.Celery("tests", broker="memory://", backend="cache+memory://")
        monitoring(
            self.app,
            lambda: self.process,
            {"charge": "billing"},
            name_of=str.upper,
            values_of=values_of,
        )

        @self.app.task(name="charge", bind=True, shared=False)
        def charge(task: Any, order: str) -> str:
            self.seen.append(([*getattr(self.process, "events", ())], task.request.headers))
            return order

        @self.app.task(name="nobodys", bind=True, shared=False)
        def nobodys(task: Any, order: str) -> int:
            if not task.request.retries:
                raise task.retry(countdown=0)
            return int(task.request.retries)

        self.charge, self.nobodys = charge, nobodys

    def begin(self) -> BlockingRecording:
        self.process = BlockingRecording()
        self.seen.clear()
        return self.process

    def answer(self, result: Any) -> Any:
        return result.get(timeout=SECONDS, interval=0.01)


def leave_logging(**_: object) -> None:
    """Else a worker takes the handlers and the level of the whole process, for all other tests."""


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    made = Shop()
    setup_logging.connect(leave_logging)
    with start_worker(made.app, pool="solo", perform_ping_check=False):
        yield made
    setup_logging.disconnect(leave_logging)


def test_a_task_is_told_before_it_is_queued_and_before_it_starts(shop: Shop) -> None:
    process = shop.begin()
    queued = [
        shop.charge.delay("A-17"),
        shop.app.send_task("charge", ["A-17"], headers={"kept": "x", "choreomon": "old"}),
        shop.charge.s(order="A-17").apply_async(),
    ]
    assert [shop.answer(each) for each in queued] == ["A-17"] * 3
    assert process.events.count(SENT) == process.events.count(HANDLED) == 3
    assert all(events[-1] == HANDLED for events, _ in shop.seen)
    assert shop.seen[1][1] == {"kept": "x", "choreomon": "1/shop/CHARGE/AAAA"}


def test_a_task_that_cannot_be_told_of_is_not_queued(shop: Shop) -> None:
    process = shop.begin()
    process.away = True
    with pytest.raises(AgentUnavailable):
        shop.charge.delay("A-18")
    process.away = False
    assert shop.answer(shop.charge.delay("A-17")) == "A-17"
    assert process.events == [SENT, HANDLED]


def test_a_task_that_cannot_be_told_of_does_not_start(shop: Shop) -> None:
    process = shop.begin()
    process.away = True
    with pytest.raises(Exception, match=r"the agent at .* is not available"):
        shop.answer(shop.nobodys.delay("A-17"))
    assert process.events == []


def test_a_task_from_outside_and_one_that_is_tried_again_are_handled(shop: Shop) -> None:
    process = shop.begin()
    assert shop.answer(shop.nobodys.delay("A-17")) == 1
    assert process.events == [("handle", "env", "NOBODYS", "order=A-17")] * 2


def test_what_comes_again_is_counted(shop: Shop) -> None:
    process = shop.begin()
    headers = {"choreomon": "1/shop/CHARGE/AAAA"}
    shop.charge.push_request(delivery_info={"redelivered": True}, headers=headers)
    try:
        shop.charge.before_start("id", ["A-17"], {})
    finally:
        shop.charge.pop_request()
    assert (process.events, process.redelivered) == ([HANDLED], 1)


def test_what_runs_without_a_message_is_not_told(shop: Shop) -> None:
    process = shop.begin()
    assert shop.charge.apply(["A-17"]).get() == shop.charge("A-17") == "A-17"
    assert process.events == []


def test_who_is_not_monitored_is_left_alone(shop: Shop) -> None:
    shop.begin()
    shop.process = BLOCKING_OFF
    assert shop.answer(shop.charge.delay("A-17")) == "A-17"
    assert shop.seen == [([], None)]
