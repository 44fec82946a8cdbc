"""What a real agent does for proxies: every request that it lets pass it has been told of, and
nothing that is wrong with a request keeps it from passing."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from choreomon.agent_files.agent_config import load_tables
from choreomon.agent_files.agent_document import load_agent_config
from choreomon.agent_files.clocks.text import decode_carried_untrusted
from choreomon.core.errors import DocumentError
from choreomon.proxies import front
from choreomon.proxies.front import Front
from choreomon.proxies.server import Answer
from choreomon.runtime.agent import Agent
from choreomon.runtime.delivery.http_client import request
from choreomon.runtime.operations.logs import Log
from choreomon.runtime.operations.metrics import ASKED
from choreomon.sdk.asynchronous import connect
from choreomon.sdk.embedded import embed
from tests.cli.command_line import choreomon

pytestmark = pytest.mark.asyncio

PROPERTY = """
property:
  sequences:
    - steps: ["handle shop -> billing : stop", "billing -> bank : charge"]
      cancel: [{on: "handle env -> billing : go", after: [1, 1], back_to: 0}]
"""
FOR_EACH = """
property:
  for_each: [order]
  sequences:
    - steps: ["handle shop -> billing : stop(order)", "billing -> bank : charge(order)"]
"""
AGENT = """
process: billing
tables: [tables/billing.json]
listen: tcp://127.0.0.1:0
insecure: true
local: {path: run/agent.sock}
store: billing.db
http: 127.0.0.1:0
verdicts: [{file: verdicts.jsonl}]
proxies:
  listen: 127.0.0.1:0
  peers: {bank.example: bank, "shop:80": shop}
  routes:
    - {method: POST, path: /charge, name: charge, parameters: {order: X-Order}}
    - {path: "/orders/{order}/stop", name: stop}
    - {path: /go, name: go}
"""


class Asked:
    """An agent with its front, and what its proxies do."""

    def __init__(self, agent: Agent, front: Front) -> None:
        self.agent = agent
        self.front = front

    async def sending(self, path: str = "/charge", host: str = "bank.example", **more: str) -> Any:
        headers = {"host": host, **more}
        return await self.front.answer("POST", f"/sending{path}", headers)

    async def handling(self, path: str = "/stop", **headers: str) -> Answer:
        return await self.front.answer("POST", f"/handling{path}", {"host": "x", **headers})

    @property
    def outcomes(self) -> dict[str, int]:
        asked = self.agent.metrics.asked_by_proxies
        return {outcome: count for outcome, count in asked.items() if count}

    @property
    def verdicts(self) -> list[str]:
        return [each.verdict for each in self.agent.last_verdicts]


@asynccontextmanager
async def asked(folder: Path, text: str = AGENT, property: str = PROPERTY) -> AsyncIterator[Asked]:
    (folder / "property.yaml").write_text(property)
    (folder / "agent.yaml").write_text(text)
    if not (folder / "tables").exists():
        assert choreomon("split", "property.yaml", "-o", "tables").code == 0
    config = load_agent_config(folder / "agent.yaml")
    agent = Agent(config, load_tables(config), log=Log())
    assert config.proxies is not None
    agent.front = front = Front(agent, config.proxies)
    await agent.start()
    try:
        yield Asked(agent, front)
    finally:
        await agent.stop()


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # What the environment says of agents is for services.
    monkeypatch.setenv("CHOREOMON", "off")


async def header_of(name: str = "stop") -> str:
    """Of a message from the shop, whose clock does not matter."""
    return f"1/shop/{name}/"


async def test_a_violation_is_seen_from_what_proxies_ask(tmp_path: Path) -> None:
    async with asked(tmp_path) as proxies:
        assert await proxies.handling(choreomon=await header_of()) == Answer(200)
        answer = await proxies.sending()
        assert answer.status == 200
        carried = decode_carried_untrusted(answer.headers["choreomon"])
        assert carried[:2] == ("billing", "charge")
        assert proxies.verdicts == ["violated"]
        assert proxies.outcomes == {"sent": 1, "handled": 1}


TRACED = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.mark.parametrize(("traceparent", "trace_id"), [(TRACED, TRACED[3:35]), ("rubbish", "")])
async def test_a_verdict_says_the_trace_of_its_request(
    tmp_path: Path, traceparent: str, trace_id: str
) -> None:
    async with asked(tmp_path) as proxies:
        await proxies.handling(choreomon=await header_of(), traceparent=traceparent)
        await proxies.sending(traceparent=traceparent)
        assert [each.trace_id for each in proxies.agent.last_verdicts] == [trace_id]


async def test_what_proxies_ask_counts_once_and_before_it_is_answered(tmp_path: Path) -> None:
    async with asked(tmp_path) as proxies:
        for events in range(1, 4):
            await proxies.sending()
            assert proxies.agent.metrics.events == events


async def test_a_request_that_comes_again_is_handled_again(tmp_path: Path) -> None:
    async with asked(tmp_path) as proxies:
        for _ in range(2):
            await proxies.handling(choreomon=await header_of())
        assert proxies.agent.metrics.events == 2


async def test_what_cancels_a_sequence_may_come_from_outside(tmp_path: Path) -> None:
    async with asked(tmp_path) as proxies:
        await proxies.handling(choreomon=await header_of())
        await proxies.handling("/go")
        await proxies.sending()
        assert proxies.verdicts == []
        assert proxies.outcomes == {"sent": 1, "handled": 1, "outside": 1}


async def test_services_may_tell_of_events_beside_the_proxies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CHOREOMON")
    async with asked(tmp_path) as proxies:
        await proxies.handling(choreomon=await header_of())
        service = await connect("run/agent.sock")
        await service.sending("bank", "charge")
        await service.close()
        assert proxies.verdicts == ["violated"]


async def test_requests_are_asked_about_over_http_and_counted_for_prometheus(
    tmp_path: Path,
) -> None:
    async with asked(tmp_path) as proxies:
        assert proxies.agent.http_address is not None
        answered = await request(f"http://{proxies.front.address}/handling/go", timeout=60.0)
        assert answered.status == 200
        page = await request(f"http://{proxies.agent.http_address}/metrics", timeout=60.0)
        assert b'choreomon_proxy_questions_total{outcome="outside"} 1.0' in page.body


async def test_a_request_without_a_route_is_called_by_method_and_path(tmp_path: Path) -> None:
    async with asked(tmp_path) as proxies:
        answer = await proxies.sending("/other/thing")
        assert decode_carried_untrusted(answer.headers["choreomon"]).name == "POST.other.thing"


# What is wrong, and passes


async def test_requests_to_others_pass_and_carry_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with asked(tmp_path) as proxies:
        for _ in range(3):
            assert await proxies.sending(host="weather.example") == Answer(200)
        assert proxies.outcomes == {"no-peer": 3}
    told = [each for each in caplog.records if each.message == "no process is behind this host"]
    assert len(told) == 1


@pytest.mark.parametrize(
    "header",
    [
        "rubbish",
        "",
        "2/shop/stop/",
        "1/shop/stop/, 1/shop/stop/",
        "1//stop/",
        "1/a/b/" + "A" * 5000,
    ],
)
async def test_a_header_that_cannot_be_read_is_counted_told_once_and_from_outside(
    tmp_path: Path, header: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with asked(tmp_path) as proxies:
        for _ in range(2):
            assert await proxies.handling("/go", choreomon=header) == Answer(200)
        assert proxies.outcomes == {"unreadable": 2}
        assert proxies.agent.metrics.events == 2  # as handled from outside
    assert [each.message for each in caplog.records if "header" in each.message] == [
        "a header cannot be read, so its message comes from outside"
    ]


async def test_a_sender_that_no_property_has_changes_nothing(tmp_path: Path) -> None:
    async with asked(tmp_path) as proxies:
        assert await proxies.handling(choreomon="1/stranger/stop/") == Answer(200)
        assert proxies.outcomes == {"handled": 1}
        assert proxies.agent.metrics.events == 0


async def test_what_proxies_do_not_ask_right_is_refused_and_told(tmp_path: Path) -> None:
    async with asked(tmp_path) as proxies:
        assert (await proxies.front.answer("GET", "/", {})).status == 404
        assert (await proxies.front.answer("GET", "/sending", {})).status == 400
        assert proxies.outcomes == {"wrong": 2}


async def test_requests_pass_whose_values_are_not_there(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with asked(tmp_path, property=FOR_EACH) as proxies:
        for _ in range(2):
            assert await proxies.sending() == Answer(200)
        assert proxies.outcomes == {"no-values": 2}
    (told,) = [each for each in caplog.records if each.message == "a request cannot be told of"]
    assert "give it order=" in told.__dict__["fields"]["why"]


async def test_each_order_is_judged_by_itself(tmp_path: Path) -> None:
    async with asked(tmp_path, property=FOR_EACH) as proxies:
        await proxies.handling("/orders/A-17/stop", choreomon=await header_of())
        await proxies.sending(**{"x-order": "A-18"})
        assert proxies.verdicts == []
        await proxies.sending(**{"x-order": "A-17"})
        assert [each.instance for each in proxies.agent.last_verdicts] == [{"order": "A-17"}]


# While the agent takes nothing


async def test_nothing_passes_that_the_agent_did_not_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(front, "DEADLINE", 0.5)
    async with asked(tmp_path) as proxies:
        side = proxies.agent._side
        assert side is not None
        side.pause()  # as while the disk takes nothing
        answer = await proxies.sending()
        assert answer.status == 503
        assert proxies.outcomes == {"away": 1}
        side.resume()
        assert (await proxies.sending()).status == 200


async def test_requests_that_pass_unasked_make_verdicts_possible_and_not_certain(
    tmp_path: Path,
) -> None:
    text = AGENT.replace("proxies:\n", "proxies:\n  fail: open\n")
    async with asked(tmp_path, text) as proxies:
        await proxies.handling(choreomon=await header_of())
        # Here `go` may have come in while nobody was asked.
        await proxies.sending()
        assert proxies.verdicts == ["possibly-violated"]


# Its configuration


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "listen: 127.0.0.1:0\n  peers",
            "listen: 0.0.0.0:80\n  peers",
            r"proxies\.listen: should be",
        ),
        ("bank.example: bank", "bank.example: bnak", r"did you mean 'bank'"),
        ("/go", "go", r"should be a path, as in"),
        ("/go, name", '"/x{go}", name', r"has x\{go\}: should be a word without braces"),
        ("/go", "/charge", r"proxies\.routes\[2\]"),
        ("POST", "post", "should be a method in capital letters"),
        ("X-Order", "'X Order'", "should be the name of a header"),
        ("bank.example", '"bank example"', "should be HOST or HOST:PORT"),
        ("name: go", "named: go", r"is no key of this mapping; did you mean 'name'"),
    ],
)
async def test_a_configuration_that_is_wrong_is_told_with_the_fix(
    tmp_path: Path, old: str, new: str, told: str
) -> None:
    assert AGENT.count(old) == 1
    text = AGENT.replace(old, new)
    if new == "/charge":
        text = text.replace("method: POST, ", "")
    with pytest.raises(DocumentError, match=told):
        async with asked(tmp_path, text):
            pass


async def test_check_shows_where_proxies_ask(tmp_path: Path) -> None:
    async with asked(tmp_path):
        pass
    shown = choreomon("check", "agent.yaml", "--json")
    assert json.loads(shown.out)["proxies"]["listen"] == "127.0.0.1:0"
    assert "proxies ask at" in choreomon("check", "agent.yaml").out


async def test_an_embedded_monitor_answers_no_proxies(tmp_path: Path) -> None:
    async with asked(tmp_path):
        pass
    with pytest.raises(DocumentError, match="proxies: needs an agent of its own"):
        await embed("agent.yaml")


async def test_an_agent_whose_port_for_proxies_is_in_use_does_not_start(tmp_path: Path) -> None:
    async with asked(tmp_path) as proxies:
        text = AGENT.replace("127.0.0.1:0\n  peers", f"{proxies.front.address}\n  peers")
        folder = tmp_path / "other"
        folder.mkdir()
        (tmp_path / "tables").rename(folder / "tables")
        with pytest.raises(DocumentError, match=r"proxies\.listen: .* cannot be listened at"):
            async with asked(folder, text):
                pass


async def test_every_outcome_is_counted_by_name() -> None:
    source = Path(front.__file__).read_text()
    assert all(f'"{outcome}"' in source for outcome in ASKED)
