"""What an agent does for the proxies around its service: it tells itself of each request before it
answers, so that a message leaves, or comes in, after its event has happened.

It is a service of the agent like any other, connected where services are. What is wrong with a
request alone never keeps it from passing: it is counted, and logged once a minute.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from choreomon.agent_files.addresses import Address
from choreomon.agent_files.agent_config import AgentConfig, told_at
from choreomon.agent_files.local import Policy
from choreomon.agent_files.proxies import Proxies
from choreomon.agent_files.values import NO_VALUES, TRACEPARENT, Given
from choreomon.core.errors import AgentUnavailable
from choreomon.core.message import SEND
from choreomon.proxies.questions import NoQuestion, Question, peer_of, question
from choreomon.proxies.server import Answer, QuestionServer
from choreomon.runtime.agent import Agent
from choreomon.sdk.address import PATIENT
from choreomon.sdk.address import Address as ServiceAddress
from choreomon.sdk.asynchronous import ConnectedProcess
from choreomon.sdk.http_names import request_name
from choreomon.sdk.session import Session

PASS: Final = 200
AWAY: Final = 503
DEADLINE: Final = 5.0
"""Seconds that a request waits for the agent, whose store may take nothing."""


class Front:
    """The side of an agent that proxies ask. `await begin()` on the agent's loop once services can
    connect, and `await end()` before the agent ends."""

    def __init__(self, agent: Agent, proxies: Proxies) -> None:
        self._agent = agent
        self._proxies = proxies
        self._server = QuestionServer(self.answer, failed=self._failed)
        self._process: ConnectedProcess | None = None
        self._witness: ConnectedProcess | None = None
        self.address: Address | None = None
        """Where it listens; `None` until it does."""

    async def begin(self) -> Address:
        """Connect, and listen; where."""
        config = self._agent.config
        self._process = await _connected(config, "block")
        if self._proxies.fail == "open":
            # Requests may pass at any time that nobody asked about. A session of this policy says
            # so, and as it never says goodbye, nobody takes it for settled.
            self._witness = await _connected(config, "fire-and-forget")
        with told_at(config, ("proxies", "listen")):
            self.address = await self._server.start(self._proxies.listen)
        return self.address

    async def end(self) -> None:
        """Take no more questions, and tell what is left to tell."""
        await self._server.close()
        if self._process is not None:
            await self._process.close()

    async def answer(self, method: str, target: str, headers: Mapping[str, str]) -> Answer:
        """Answer what a proxy asks, after what it means has happened."""
        try:
            asked = question(method, target, headers)
        except NoQuestion as wrong:
            self._agent.metrics.asked("wrong")
            self._agent.log.seldom("no question", "a proxy asks nothing", why=str(wrong))
            return Answer(wrong.status, text=str(wrong))
        name, values = self._called(asked, headers)
        if TRACEPARENT in headers:
            values = {TRACEPARENT: headers[TRACEPARENT], **values}
        try:
            if asked.kind == SEND:
                return await self._sending(asked, name, values)
            return await self._handling(name, values, headers)
        except AgentUnavailable as error:
            self._agent.metrics.asked("away")
            return Answer(AWAY, text=str(error))
        except ValueError as error:
            self._agent.metrics.asked("no-values")
            self._agent.log.seldom(f"values {name}", "a request cannot be told of", why=str(error))
            return Answer(PASS)

    async def _sending(self, asked: Question, name: str, values: Given) -> Answer:
        peer = peer_of(self._proxies.peers, asked.host)
        if peer is None:
            self._agent.metrics.asked("no-peer")
            self._agent.log.seldom(
                f"host {asked.host}", "no process is behind this host", host=asked.host
            )
            return Answer(PASS)
        process = self._process
        assert process is not None
        carried = await process.sending(peer, name, **values)
        carrier: dict[str, str] = {}
        process.inject(carrier, carried)
        self._agent.metrics.asked("sent")
        return Answer(PASS, carrier)

    async def _handling(self, name: str, values: Given, headers: Mapping[str, str]) -> Answer:
        process = self._process
        assert process is not None
        carried = process.extract(headers)
        if carried is not None:
            await process.handling(carried, **values)
            self._agent.metrics.asked("handled")
            return Answer(PASS)
        if unreadable := "choreomon" in headers:
            self._agent.log.seldom(
                "header",
                "a header cannot be read, so its message comes from outside",
                header=headers["choreomon"],
            )
        await process.handling_from_outside(name, **values)
        self._agent.metrics.asked("unreadable" if unreadable else "outside")
        return Answer(PASS)

    def _called(self, asked: Question, headers: Mapping[str, str]) -> tuple[str, Given]:
        for route in self._proxies.routes:
            values = route.values(asked.method, asked.path, headers)
            if values is not None:
                return route.name, values
        return request_name(asked.method, asked.path), NO_VALUES

    def _failed(self, error: Exception) -> None:
        self._agent.log.seldom("question", "a question of a proxy failed", why=repr(error))


async def _connected(config: AgentConfig, policy: Policy) -> ConnectedProcess:
    """A session with the agent of this configuration, whatever the environment says of agents."""
    local = config.local
    if local.path is not None:
        address = ServiceAddress(path=os.fspath(local.path))
    else:
        assert local.tcp is not None
        address = ServiceAddress(host=local.tcp.host, port=local.tcp.port)
    session = Session(policy=policy, deadline=DEADLINE, buffer=0)
    process = ConnectedProcess(address, session, token_file=local.token, backoff=PATIENT)
    await process.begin(DEADLINE)
    return process
