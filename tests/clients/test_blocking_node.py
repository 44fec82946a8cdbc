"""What blocks in Node.js: the client for code that cannot wait for a promise, and OpenTelemetry's
propagator upon it. The agents beside them are real, and killed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from typing import Any
from urllib.request import urlopen

import pytest

from tests.clients.test_clients import (
    CLIENTS,
    FOR_EACH,
    PATIENT,
    SERVICES,
    WITHIN,
    Agent,
    agent,
    own_entries,
)

NODE = CLIENTS / "node"
MESSAGES = 120
KILLED_AT = (20, 50, 90)
REQUESTS = """
property:
  sequences:
    - steps: ['shop -> courier : "POST /parcel"']
"""
PACKAGES = (
    "@opentelemetry/api",
    "@opentelemetry/core",
    "@opentelemetry/sdk-trace-node",
    "@opentelemetry/instrumentation-http",
)

__all__ = ["agent"]


def node() -> str:
    found = which("node")
    if found is None:
        pytest.skip("this machine has no node, so that what blocks in Node.js is not tried")
    return found


@contextmanager
def running(*arguments: object) -> Iterator[subprocess.Popen[str]]:
    command = [node(), *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as service:
        try:
            yield service
        finally:
            service.kill()


def lines(agent: Agent, *arguments: object) -> list[str]:
    """What a service prints while its agent is killed again and again."""
    found = []
    with running(*arguments) as service:
        assert service.stdout is not None
        for line in service.stdout:
            found.append(line.strip())
            if len(found) in KILLED_AT:
                agent.kill()
                agent.start()
        assert service.wait(WITHIN) == 0
    return found


def once(*arguments: object) -> list[str]:
    command = [node(), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WITHIN, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def of(agent: Agent, page: str) -> str:
    with urlopen(f"http://{agent.http}/{page}", timeout=WITHIN) as answer:
        return str(answer.read().decode())


def test_an_agent_may_be_killed_while_a_service_is_blocked(agent: Agent) -> None:
    found = lines(agent, SERVICES / "blocking.js", NODE / "blocking.js", PATIENT, MESSAGES)
    assert own_entries(found) == [*range(1, MESSAGES + 1)]


def test_a_blocked_service_goes_on_when_its_agent_does_not_answer_in_time(agent: Agent) -> None:
    script = SERVICES / "blocking.js"
    with running(script, NODE / "blocking.js", 2_000, 1_000_000) as service:
        assert service.stdout is not None
        assert service.stdout.readline().startswith("1/shop/parcel/")
        agent.process.send_signal(signal.SIGSTOP)
        answers = (line.strip() for line in service.stdout)
        assert next(each for each in answers if "/" not in each) == "AgentUnavailable"
        agent.process.send_signal(signal.SIGCONT)


def test_where_no_agent_is_a_service_is_told_so(tmp_path: Path) -> None:
    script = f"""
const {{ connectBlocking }} = require({json.dumps(str(NODE / "blocking.js"))});
const off = connectBlocking('off');
console.log(JSON.stringify([off.on, off.sending('courier', 'parcel'), off.untold('parcel')]));
off.close();
try {{
  connectBlocking({json.dumps(str(tmp_path / "nobody.sock"))}, {{ deadline: 200 }});
}} catch (error) {{
  console.log(error.name);
}}
"""
    assert once("-e", script) == ['[false,"",""]', "AgentUnavailable"]


@pytest.mark.parametrize("agent", [FOR_EACH], indirect=True, ids=["for each order"])
def test_what_is_strange_is_told_as_missing_and_never_thrown(agent: Agent) -> None:
    (line,) = once(SERVICES / "stand_in.js", NODE)
    found: dict[str, Any] = json.loads(line)
    assert found["parcel"]["choreomon"].startswith("1/shop/parcel/")
    assert found["without"]["choreomon"].startswith("1/shop/parcel/")
    for strange in ("thrown", "long"):
        assert found[strange]["choreomon"].startswith("1/shop/unknown/")
    assert (found["nobody"], found["server"]) == ({}, {})
    nothing = found["values"] + found["nameless"]
    assert len(nothing) == 11
    assert all(each.startswith("1/shop/unknown/") for each in nothing)
    assert len(found["said"]) == 14
    assert found["heard"] == ["1/shop/parcel/"] * 2 + [None] * 2
    assert found["decisions"] == [1, 1, 2]
    assert found["fields"] == ["choreomon"]
    verdict = json.loads(of(agent, "status"))["verdicts"][0]
    assert (verdict["verdict"], verdict["for"]) == ("violated", {"order": "A-17"})
    assert verdict["trace_id"] == "0af7651916cd43dd8448eb211c80319c"
    lost = re.search(r"choreomon_dropped_events_total (\d+)", of(agent, "metrics"))
    assert lost is not None
    assert int(lost[1]) == 14


# --- with the packages of OpenTelemetry ------------------------------------------------


def propagated() -> list[object]:
    asked = f"{json.dumps(PACKAGES)}.map((each) => require.resolve(each))"
    path = {**os.environ, "NODE_PATH": os.environ.get("NODE_PATH", "")}
    if subprocess.run([node(), "-e", asked], env=path, capture_output=True, check=False).returncode:
        pytest.skip(f"NODE_PATH has not all of {', '.join(PACKAGES)}: they are not tried")
    return [SERVICES / "propagated.js", NODE]


@pytest.mark.parametrize("agent", [REQUESTS], indirect=True, ids=["requests"])
def test_a_verdict_has_the_trace_of_a_request_that_is_not_sampled(agent: Agent) -> None:
    found = [json.loads(line) for line in once(*propagated(), PATIENT, "/other", "/parcel")]
    assert own_entries([each["choreomon"] for each in found]) == [0, 1]
    assert all(each["heard"] == each["choreomon"] for each in found)
    (verdict,) = json.loads(of(agent, "status"))["verdicts"]
    assert verdict["trace_id"] == found[1]["traceparent"][3:35]


@pytest.mark.parametrize("agent", [REQUESTS], indirect=True, ids=["requests"])
def test_requests_go_on_while_their_agent_is_killed(agent: Agent) -> None:
    found = lines(agent, *propagated(), PATIENT, *["/parcel"] * MESSAGES)
    headers = [json.loads(line)["choreomon"] for line in found]
    assert own_entries(headers) == [*range(1, MESSAGES + 1)]


@pytest.mark.parametrize("agent", [REQUESTS], indirect=True, ids=["requests"])
def test_a_request_does_not_leave_that_its_agent_was_not_told_of(agent: Agent) -> None:
    with running(*propagated(), 2_000, *["/parcel"] * 100_000) as service:
        assert service.stdout is not None
        assert "choreomon" in json.loads(service.stdout.readline())
        agent.process.send_signal(signal.SIGSTOP)
        answers = (json.loads(line) for line in service.stdout)
        refused = next(each for each in answers if "refused" in each)
        assert refused == {"path": "/parcel", "refused": "AgentUnavailable"}
        agent.process.send_signal(signal.SIGCONT)
