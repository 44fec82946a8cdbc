"""The agent of this service, connected when the first message leaves or is taken.

Not before: servers fork after their first imports, and in a child the connection of its parent is
none. Whatever is wrong with a message, a mapping or a header is counted and leaves the service
alone; only an agent that is away raises, as the policy `block` has it: then the message must not
leave.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from choreomon.agent_files.clocks.text import Carried
from choreomon.agent_files.values import TRACEPARENT, Given
from choreomon.core.errors import AgentUnavailable, ProcessClosed
from choreomon.core.message import ENVIRONMENT
from choreomon.logs.mappings.live import LiveMapping, Why
from choreomon.logs.mappings.mapping_document import Mapping
from choreomon.opentelemetry.settings import Settings
from choreomon.opentelemetry.strange import Counts
from choreomon.sdk.blocking import connect
from choreomon.sdk.process import BlockingProcess

Record = dict[str, Any]


class Telling:
    """Tells of the messages of this service, to the process that `connecting` gives. `counts` is
    what was strange."""

    def __init__(
        self,
        settings: Settings,
        mapping: Mapping,
        connecting: Callable[..., BlockingProcess] = connect,
    ) -> None:
        self._connecting = connecting
        self.counts: Final = Counts()
        self._settings = settings
        self._mapping = mapping
        self._connected: tuple[BlockingProcess, LiveMapping] | None = None
        self._lock = threading.Lock()
        self._ended = False
        # Before the first connection nobody has called this process.
        self.headers: Final = mapping.asked_of("headers")
        self.baggage: Final = mapping.asked_of("baggage")
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)

    def sending(self, record: Record) -> Carried | None:
        """Tell that the message of a span leaves; what travels with it, None where nothing does.

        Raises `AgentUnavailable`; then the message must not leave.
        """
        with self._counting(record):
            process, mapping = self._process(record)
            message = mapping.sending(record)
            if isinstance(message, str):
                self._strange(message, process, record)
                return None
            try:
                values = _with_trace(message.values, record)
                carried = process.sending(message.peer, message.name, **values)
            except ValueError as error:
                self.counts.add("no value", str(error))
                carried = process.untold(message.name)
            return carried if message.known else None
        return None

    @contextmanager
    def _counting(self, record: Record) -> Iterator[None]:
        """Count what fails in the block. Only `AgentUnavailable` leaves it."""
        try:
            yield
        except AgentUnavailable:
            self.counts.add("agent away", str(record["name"]))
            raise
        except ProcessClosed:
            self.counts.add("closed", str(record["name"]))
        except Exception as error:
            self.counts.add("failed", str(record["name"]), error)

    def handling(self, record: Record, carried: Carried | None, *, traced: bool) -> None:
        """Tell that the message of a span was taken. `carried` is what came with it; `traced`
        whether a trace did. Raises as `sending` does; then nothing must be done because of it."""
        with self._counting(record):
            process, mapping = self._process(record)
            if carried is None:
                message = mapping.handling(record, None, None)
                if traced and not isinstance(message, str):
                    self.counts.add("no header", str(record["name"]))
            else:
                message = mapping.handling(record, carried.sender, carried.name)
            if isinstance(message, str):
                self._strange(message, process, record)
                return
            values = _with_trace(message.values, record)
            try:
                if carried is None or message.peer == ENVIRONMENT:
                    process.handling_from_outside(message.name, **values)
                else:
                    process.handling(carried, **values)
            except ValueError as error:
                self.counts.add("no value", str(error))
                process.untold(message.name, carried)

    def close(self) -> None:
        """Tell what is left to tell, and end: messages that leave later are not told."""
        with self._lock:
            self._ended = True
            connected = self._connected
        if connected is not None:
            connected[0].close(self._settings.deadline)

    def _strange(self, why: Why, process: BlockingProcess, record: Record) -> None:
        self.counts.add(why, f"{record['kind']} {record['name']}")
        if why == "mapping stopped":  # it may have been any event
            process.untold("unknown")

    def _process(self, record: Record) -> tuple[BlockingProcess, LiveMapping]:
        connected = self._connected
        if connected is not None:
            return connected
        with self._lock:
            if self._ended:
                raise ProcessClosed("this service is about to end")
            if self._connected is None:
                settings = self._settings
                process = self._connecting(policy=settings.policy, deadline=settings.deadline)
                self._check_name(process.name, record)
                self._connected = process, LiveMapping(self._mapping, process.name)
            return self._connected

    def _check_name(self, name: str, record: Record) -> None:
        named = self._mapping.process
        own = None if named is None else named(record)
        if own not in (None, name) and not str(own).startswith("unknown_service"):
            self.counts.add("another name", f"this service is {own} by the mapping, and not {name}")

    def _forked(self) -> None:
        self._lock = threading.Lock()
        self._connected = None


def _with_trace(values: Given, record: Record) -> Given:
    """The values of an event with the trace that it is in. Whether that is exported, which the last
    digits would say, no agent looks at."""
    return {TRACEPARENT: f"00-{record['traceId']}-{record['spanId']}-00", **values}
