"""`choreomon watch`: what it shows of agents that are there, of those that are not, and of what is
no agent."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from choreomon.agent_files.addresses import Address
from choreomon.agent_files.status_json import decode_status_untrusted, status_json
from choreomon.cli.online import watch
from choreomon.core.live import AgentStatus, LabelStatus
from choreomon.runtime.operations.http import Answer, HttpServer, operations_pages
from tests.agent_files.test_status_json import STATUS
from tests.cli.command_line import choreomon

(OF_PROPERTY,) = STATUS.properties
QUIET = replace(
    STATUS,
    process="P1",
    not_ready=(),
    properties=(replace(OF_PROPERTY, gap_open=False, provisional={}),),
    sinks={},
    words={},
    verdicts=(),
)
NOBODY = "127.0.0.1:1"


@contextmanager
def agents(*statuses: Callable[[], bytes]) -> Iterator[list[str]]:
    """Servers on a thread of their own; their addresses."""
    addresses: list[str] = []
    started, over = threading.Event(), asyncio.Event()
    loops: list[asyncio.AbstractEventLoop] = []

    async def serve() -> None:
        loops.append(asyncio.get_running_loop())
        servers = []
        for status in statuses:
            pages = operations_pages(
                metrics=lambda _: (b"", ""), not_ready=lambda: (), status=status
            )
            pages["/rubbish"] = lambda _: Answer(200, "text/plain", b"<html>")
            server = HttpServer(pages, failed=lambda *_: None)
            addresses.append(str(await server.start(Address("127.0.0.1", 0))))
            servers.append(server)
        started.set()
        await over.wait()
        for server in servers:
            await server.close()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    started.wait()
    try:
        yield addresses
    finally:
        loops[0].call_soon_threadsafe(over.set)
        thread.join()


def saying(status: AgentStatus) -> Callable[[], bytes]:
    return lambda: status_json(status)


def test_a_look_at_two_agents() -> None:
    with agents(saying(STATUS), saying(QUIET)) as (one, other):
        answer = choreomon("watch", one, f"http://{other}/status", "--once")
    assert answer.code == 1
    assert answer.err == ""
    assert "│ P2 " in answer.out
    assert "│ P1 " in answer.out
    assert "P2: the disk takes nothing" in answer.out
    assert "P2 possibly violated at event 1 (send P2 -> P3 : b)" in answer.out


@pytest.mark.parametrize(
    ("words", "code"),
    [({}, 0), ({"withdrawn": 1}, 0), ({"possibly-violated": 1}, 3), ({"violated": 1}, 1)],
)
def test_the_exit_code_says_what_was_seen(words: dict[str, int], code: int) -> None:
    with agents(saying(replace(QUIET, words=words)), saying(QUIET)) as addresses:
        assert choreomon("watch", *addresses, "--once").code == code
        assert choreomon("watch", *addresses, "--once", "--json").code == code


def test_who_cannot_be_reached_is_shown_as_such() -> None:
    with agents(saying(QUIET)) as (one,):
        answer = choreomon("watch", NOBODY, one, "--once")
    assert answer.code == 3
    assert "unreachable" in answer.out
    assert f"{NOBODY}: Connection refused" in answer.out
    assert "│ P1 " in answer.out


def test_who_hangs_is_left_after_the_timeout() -> None:
    go_on = threading.Event()

    def hangs() -> bytes:
        go_on.wait()
        return b""

    with agents(hangs) as (one,):
        answer = choreomon("watch", one, "--once", "--timeout", "0.05")
        go_on.set()
    assert answer.code == 3
    assert "no answer within 0.05 s" in answer.out


@pytest.mark.parametrize(
    ("path", "told"), [("/rubbish", "no status of an agent"), ("/none", "it answers 404")]
)
def test_what_is_no_agent_is_shown_as_such(path: str, told: str) -> None:
    with agents(saying(QUIET)) as (one,):
        answer = choreomon("watch", f"http://{one}{path}", "--once")
    assert answer.code == 3
    assert told in answer.out


def test_json_is_one_object_a_look() -> None:
    with agents(saying(STATUS)) as (one,):
        answer = choreomon("watch", one, NOBODY, "--once", "--json")
    (line,) = answer.out.splitlines()
    here, gone = json.loads(line)["agents"]
    assert here["agent"] == one
    assert here["reachable"] is True
    assert decode_status_untrusted(json.dumps(here["status"])) == STATUS
    assert gone == {"agent": NOBODY, "reachable": False, "why": "Connection refused"}


UNDECIDED = replace(QUIET, properties=(replace(OF_PROPERTY, gap_open=False, undecided=1),))
DECIDED = replace(QUIET, properties=(replace(OF_PROPERTY, provisional={}, undecided=0),))


@pytest.mark.parametrize(
    "before",
    [UNDECIDED, replace(DECIDED, not_ready=("it is not recovered yet",))],
    ids=["an event is undecided", "it is not ready"],
)
def test_once_it_may_wait_until_all_is_said(before: AgentStatus) -> None:
    courses = [iter((before, before, DECIDED)), iter((DECIDED, DECIDED, DECIDED))]
    with agents(*(lambda each=each: status_json(next(each)) for each in courses)) as addresses:
        answer = choreomon("watch", *addresses, "--once", "--wait", "60", "--json")
    assert answer.code == 0
    (look,) = [json.loads(line) for line in answer.out.splitlines()]
    seen = [decode_status_untrusted(json.dumps(each["status"])) for each in look["agents"]]
    assert seen == [DECIDED, DECIDED]


@pytest.mark.parametrize(
    ("words", "code"), [({}, 3), ({"possibly-violated": 1}, 3), ({"violated": 1}, 1)]
)
def test_what_is_not_said_in_time_is_not_known(words: dict[str, int], code: int) -> None:
    properties = (replace(OF_PROPERTY, gap_open=False, provisional={}, undecided=1),)
    with agents(saying(replace(QUIET, words=words, properties=properties))) as (one,):
        answer = choreomon("watch", one, "--once", "--wait", "0")
    assert answer.code == code
    assert "│ P1 " in answer.out


def test_waiting_is_for_one_look() -> None:
    answer = choreomon("watch", NOBODY, "--wait", "1")
    assert answer.code == 2
    assert "--wait is for --once" in answer.err


def test_it_looks_again_until_it_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[float] = []

    async def sleep(seconds: float) -> None:
        looks.append(seconds)
        if len(looks) == 3:
            raise KeyboardInterrupt

    class Loop:
        """`asyncio` as the command sees it, with time that does not pass."""

        def __getattr__(self, name: str) -> object:
            return sleep if name == "sleep" else getattr(asyncio, name)

    monkeypatch.setattr(watch, "asyncio", Loop())
    counts = iter(range(1, 10))
    with agents(lambda: status_json(replace(QUIET, untold=next(counts)))) as (one,):
        answer = choreomon("watch", one, "--json", "--interval", "7")
    assert answer.code == 130
    assert looks == [7.0] * 3
    seen = [json.loads(line) for line in answer.out.splitlines()]
    assert [look["agents"][0]["status"]["untold"] for look in seen] == [1, 2, 3]


@pytest.mark.parametrize("columns", [10, 40, 64, 200])
def test_it_fits_into_narrow_terminals(columns: int) -> None:
    with agents(saying(STATUS)) as (one,):
        answer = choreomon("watch", one, NOBODY, "--once", "--explain", columns=columns)
    assert max(map(len, answer.out.splitlines())) <= max(columns, 40)
    assert "unreachable" in answer.out
    assert "The monitor of P3 had" in answer.out


# --- which agents -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "name", "asked"),
    [
        ("127.0.0.1:7680", "127.0.0.1:7680", "http://127.0.0.1:7680/status"),
        ("http://h:1/", "h:1", "http://h:1/status"),
        ("https://u:p@h/x/status?a=b", "h", "https://u:p@h/x/status?a=b"),
        ("[::1]:7680", "[::1]:7680", "http://[::1]:7680/status"),
        ("localhost", "localhost", "http://localhost/status"),
    ],
)
def test_urls_may_be_short(url: str, name: str, asked: str) -> None:
    assert watch._target(url) == (name, asked)


@pytest.mark.parametrize(
    "url", ["ftp://h", "http://", "h:0", "h:99999", "h:x", "http://[::1", "h\u00e4", "a b", ""]
)
def test_what_is_no_url_is_bad_usage(url: str) -> None:
    answer = choreomon("watch", url, "--once")
    assert answer.code == 2
    assert "is no URL of an agent: give its address, as in http://127.0.0.1:7680" in answer.err


def test_somebody_must_be_named() -> None:
    answer = choreomon("watch")
    assert answer.code == 2
    assert "which agents?" in answer.err


CONFIG = """
process: P1
tables: [P1.json]
listen: tcp://127.0.0.1:0
local: {path: /tmp/p1.sock}
insecure: true
durability: "off"
"""


@pytest.mark.parametrize(
    ("http", "url"),
    [
        ("127.0.0.1:7680", "http://127.0.0.1:7680/status"),
        ("0.0.0.0:7680", "http://127.0.0.1:7680/status"),
        ("'[::]:7680'", "http://[::1]:7680/status"),
    ],
)
def test_an_agent_is_found_by_its_configuration(place: Path, http: str, url: str) -> None:
    (place / "agent.yaml").write_text(f"{CONFIG}http: {http}\n")
    assert watch._configured("agent.yaml") == ("P1", url)


def test_an_agent_of_a_configuration_is_called_by_its_process(place: Path) -> None:
    (place / "agent.yaml").write_text(f"{CONFIG}http: {NOBODY}\n")
    answer = choreomon("watch", "--config", "agent.yaml", "--once")
    assert answer.code == 3
    assert "P1: Connection refused" in answer.out


@pytest.mark.parametrize("http", ["", "http: 127.0.0.1:0\n"])
def test_an_agent_that_serves_nothing_cannot_be_watched(place: Path, http: str) -> None:
    (place / "agent.yaml").write_text(CONFIG + http)
    answer = choreomon("watch", "--config", "agent.yaml")
    assert answer.code == 2
    assert "agent.yaml" in answer.err
    assert "http: " in answer.err
    assert "give one, as in http: 127.0.0.1:7680" in answer.err


def test_a_configuration_that_is_none_is_bad_input(place: Path) -> None:
    (place / "agent.yaml").write_text("process: P1\n")
    answer = choreomon("watch", "--config", "agent.yaml")
    assert answer.code == 2
    assert "agent.yaml" in answer.err


def test_labels_are_shown_where_they_are_asked_for() -> None:
    labels = (LabelStatus("P1 -> P2 : refusd", 0, None),)
    status = replace(QUIET, properties=(replace(OF_PROPERTY, labels=labels),))
    with agents(saying(status)) as (address,):
        assert "refusd" not in choreomon("watch", "--once", address).out
        assert "refusd" in choreomon("watch", "--once", "--labels", address).out
        (agent,) = json.loads(choreomon("watch", "--once", "--json", address).out)["agents"]
    (of_property,) = agent["status"]["properties"]
    assert of_property["labels"] == [
        {"label": "P1 -> P2 : refusd", "events": 0, "seconds_ago": None}
    ]


def test_a_rule_that_no_agent_tells_of_is_bad_usage() -> None:
    status = replace(QUIET, properties=(replace(OF_PROPERTY, rules=("no-refund",)),))
    with agents(saying(status)) as (address,):
        answer = choreomon("watch", "--once", "--rule", "no-refnud", address)
        assert (answer.code, "did you mean 'no-refund'?" in answer.err) == (2, True)
        assert choreomon("watch", "--once", "--rule", "no-refund", address).code == 0


@pytest.mark.parametrize("given", ["order", "order=", "=A-17"])
def test_an_instance_is_a_parameter_and_its_value(given: str) -> None:
    answer = choreomon("watch", NOBODY, "--for", given)
    assert answer.code == 2
    assert f"--for '{given}': give a parameter and its value: order=A-17" in answer.err
