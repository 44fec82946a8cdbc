"""Two services that know nothing of choreomon are monitored by what instruments them: the agents
are told of each message once, before it leaves and before it is handled, and declare what is
forbidden."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.opentelemetry.watched import Two, needs, property_of, watched

PROCESSES = 'format: otlp\nprocesses: {{"127.0.0.1:{port}": worker}}\n'


def both_ends(*names: str) -> list[str]:
    """What the agents are told of messages that are handled one after the other."""
    sides = ("send", "handle")
    return [f"{side} caller -> worker : {name}" for name in names for side in sides]


def assert_in_time(two: Two, witnessed: list[str], names: list[str]) -> None:
    """Whoever handled a message found both of its ends told, and none of the next one."""
    assert [said for said, _ in two.seen] == witnessed
    for number, (_, told) in enumerate(two.seen, start=1):
        assert told == both_ends(*names[:number])


def assert_violated_once(two: Two) -> None:
    """The first charge was before the switch, but an answer carries no clock: where the machine is
    so busy that the caller went on before it was asked, that charge is possibly violated."""
    two.wait_for(lambda: ("violated", "worker") in two.verdicts)
    (sure,) = [each for each in two.declared if each.verdict == "violated"]
    others = [(each.verdict, each.count) for each in two.declared if each is not sure]
    assert others in ([], [("possibly-violated", 1)])
    assert (sure.process, sure.count > 1) == ("worker", True)


HTTP = [
    ("requests_caller.py", "flask_worker.py", ("requests", "flask")),
    ("httpx_caller.py", "fastapi_worker.py", ("httpx", "fastapi", "uvicorn")),
    ("aiohttp_caller.py", "aiohttp_worker.py", ("aiohttp",)),
]


@pytest.mark.parametrize(("caller", "worker", "modules"), HTTP, ids=[row[0] for row in HTTP])
def test_over_http(caller: str, worker: str, modules: tuple[str, ...], tmp_path: Path) -> None:
    needs(*modules)
    with watched(tmp_path, property_of(off="POST /off", charge="POST /charge")) as two:
        port = two.start("worker", worker)
        mapping = two.mapping(PROCESSES.format(port=port))
        two.run("caller", caller, port, "/charge", "/off", "/charge", CHOREOMON_MAPPING=mapping)
        names = ["POST /charge", "POST /off", "POST /charge"]
        assert two.told == both_ends(*names)
        assert_in_time(two, ["charge", "off", "charge"], names)
        assert_violated_once(two)
        assert "WARNING" not in two.errors("caller")


@pytest.mark.parametrize(("caller", "worker", "modules"), HTTP, ids=[row[0] for row in HTTP])
def test_a_redirect_is_a_message_of_its_own(
    caller: str, worker: str, modules: tuple[str, ...], tmp_path: Path
) -> None:
    needs(*modules)
    with watched(tmp_path, property_of(off="POST /moved/off", charge="POST /off")) as two:
        port = two.start("worker", worker)
        mapping = two.mapping(PROCESSES.format(port=port))
        two.run("caller", caller, port, "/moved/off", CHOREOMON_MAPPING=mapping)
        names = ["POST /moved/off", "POST /off"]
        assert two.told == both_ends(*names)
        assert_in_time(two, ["moved/off", "off"], names)
        assert_violated_once(two)


def test_a_retry_is_a_message_of_its_own(tmp_path: Path) -> None:
    needs("requests", "flask")
    with watched(tmp_path, property_of(off="POST /off", charge="POST /busy/charge")) as two:
        port = two.start("worker", "flask_worker.py")
        mapping = two.mapping(PROCESSES.format(port=port))
        arguments = (port, "/busy/charge")
        two.run("caller", "requests_caller.py", *arguments, CHOREOMON_MAPPING=mapping)
        names = ["POST /busy/charge", "POST /busy/charge"]
        assert two.told == both_ends(*names)
        assert_in_time(two, ["busy/charge", "busy/charge"], names)
        assert two.verdicts == []


def test_a_verdict_has_the_trace_of_the_span_that_completes_what_is_forbidden(
    tmp_path: Path,
) -> None:
    """And those of the events that it rests on. Each request is in a trace of its own, which it
    says in the header that all know."""
    needs("requests", "flask")
    with watched(tmp_path, property_of(off="POST /off", charge="POST /charge")) as two:
        port = two.start("worker", "flask_worker.py", OTEL_TRACES_EXPORTER="console")
        mapping = two.mapping(PROCESSES.format(port=port))
        exported = {"CHOREOMON_MAPPING": mapping, "OTEL_TRACES_EXPORTER": "console"}
        arguments = ("requests_caller.py", port, "/off", "/charge")
        said = two.run("caller", *arguments, **exported)
        traces = re.findall(r'"trace_id": "0x([0-9a-f]{32})"', said)
        assert len({*traces}) == 2
        assert_violated_once(two)
        assert {each.trace_id for each in two.declared} == {traces[1]}
        (sure,) = [each for each in two.declared if each.verdict == "violated"]
        assert {reason.event.trace_id for reason in sure.because} == {traces[0]}


def test_over_grpc(tmp_path: Path) -> None:
    needs("grpc", "opentelemetry.instrumentation.grpc")
    with watched(tmp_path, property_of(off="off", charge="charge")) as two:
        port = two.start("worker", "grpc_worker.py")
        mapping = two.mapping("format: otlp\nprocesses: {Worker: worker}\n")
        names = ["charge", "off", "charge"]
        two.run("caller", "grpc_caller.py", port, *names, CHOREOMON_MAPPING=mapping)
        assert two.told == both_ends(*names)
        assert_in_time(two, names, names)
        assert_violated_once(two)


def test_over_celery(tmp_path: Path) -> None:
    """What is queued is told before it can be taken; tasks one after the other."""
    needs("celery", "opentelemetry.instrumentation.celery")
    with watched(tmp_path, property_of(off="off", charge="charge")) as two:
        mapping = two.mapping("format: otlp\nprocesses: {celery: worker}\n")
        names = ["charge", "off", "charge"]
        two.start("worker", "celery_worker.py")
        for number, name in enumerate(names, start=1):
            two.run("caller", "celery_caller.py", name, CHOREOMON_MAPPING=mapping)
            two.wait_for(lambda number=number: len(two.seen) == number)  # type: ignore[misc]
        assert two.told == both_ends(*names)
        assert_in_time(two, names, names)
        assert_violated_once(two)


def test_values_are_found_in_routes_and_headers_at_both_ends(tmp_path: Path) -> None:
    """Of two orders, one is violated."""
    needs("requests", "flask")
    text = property_of(off="POST /off", charge="POST /charge", parameters="order")
    with watched(tmp_path, text) as two:
        rest = "parameters: {order: headers.x-order}\n"
        mapping = two.mapping(f"format: otlp\n{rest}")
        port = two.start("worker", "flask_worker.py", CHOREOMON_MAPPING=mapping)
        mapping = two.mapping(f"{PROCESSES.format(port=port)}{rest}")
        arguments = (port, "/off", "/charge")
        for order in ("A-17", "A-18"):
            paths = arguments if order == "A-17" else (port, "/charge")
            named = {"CHOREOMON_MAPPING": mapping, "ORDER": order}
            two.run("caller", "requests_caller.py", *paths, **named)
        two.wait_for(lambda: bool(two.verdicts))
        assert [dict(each.instance) for each in two.declared] == [{"order": "A-17"}]
        assert two.values == [{"order": "A-17"}] * 4 + [{"order": "A-18"}] * 2
