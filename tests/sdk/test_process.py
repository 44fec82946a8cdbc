"""What a service imports, and what there is where nothing is monitored."""

from __future__ import annotations

import pytest

import choreomon.sdk
from choreomon.sdk import BLOCKING_OFF, OFF, BlockingProcess, Carried, Process
from choreomon.sdk.asynchronous import ConnectedProcess
from choreomon.sdk.blocking import ConnectedProcess as BlockingConnectedProcess
from tests.imported import imported_by
from tests.sdk.recording import AsyncRecording, BlockingRecording


def processes(connected: ConnectedProcess, recording: AsyncRecording) -> list[Process]:
    """The type checker sees that all are processes."""
    return [connected, recording, OFF]


def blocking_processes(
    connected: BlockingConnectedProcess, recording: BlockingRecording
) -> list[BlockingProcess]:
    return [connected, recording, BLOCKING_OFF]


def test_what_is_not_monitored_carries_nothing() -> None:
    assert not BLOCKING_OFF.on
    headers: dict[str, str] = {}
    carried = BLOCKING_OFF.sending("customer", "parcel")
    BLOCKING_OFF.inject(headers, carried)
    BLOCKING_OFF.inject_baggage(headers, carried)
    assert headers == {}
    headers = {"choreomon": "1/a/b/", "baggage": "choreomon=1/a/b/"}
    assert BLOCKING_OFF.extract(headers) is None
    assert BLOCKING_OFF.extract_baggage(headers) is None
    BLOCKING_OFF.handling(Carried("a", "b", ""))
    BLOCKING_OFF.handling_from_outside("b")
    BLOCKING_OFF.close()


@pytest.mark.asyncio
async def test_the_same_holds_on_asyncio() -> None:
    assert not OFF.on
    headers: dict[str, str] = {}
    OFF.inject(headers, await OFF.sending("customer", "parcel"))
    assert headers == {}
    await OFF.handling(Carried("a", "b", ""))
    await OFF.handling_from_outside("b")
    await OFF.close()


HEAVY = ("asyncio", "click", "httpx", "msgspec", "pydantic", "rich", "uvloop", "yaml", "zmq")


@pytest.mark.parametrize(
    ("statement", "heavy"),
    [
        ("import choreomon.sdk", set()),
        ("import choreomon.sdk.blocking", {"msgspec"}),
        ("from choreomon.sdk import connect", {"asyncio", "msgspec"}),
        ("import choreomon.sdk.asgi", {"asyncio"}),
        ("import choreomon.sdk.http_hooks", set()),
        ("import choreomon.sdk.zeromq", {"asyncio"}),
    ],
)
def test_a_service_imports_nothing_that_it_does_not_need(statement: str, heavy: set[str]) -> None:
    assert imported_by(statement, HEAVY) == heavy


def test_every_name_of_the_face_is_there() -> None:
    for name in choreomon.sdk.__all__:
        assert getattr(choreomon.sdk, name) is not None
    assert not hasattr(choreomon.sdk, "connects")
