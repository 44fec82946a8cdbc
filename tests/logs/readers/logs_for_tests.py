"""Logs in all formats, small ones, and how they are read."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from choreomon.core.recorded import Diagnostic, RecordedEvent
from choreomon.logs.readers.reading import read_recorded

SHIVIZ = Path(__file__).parents[2] / "data" / "shiviz"
FACEBOOK = (
    r"(?<ip>(\d{1,3}\.){3}\d{1,3}) (?<date>(\d{1,2}/){2}\d{4} (\d{2}:){2}\d{2} (AM|PM)) "
    r"(?<action>(INFO|GET|POST)) (?<event>.*)\n(?<host>\w*) (?<clock>.*)"
)
BROADCAST = (
    r"\[\w+\] \[(?<date>([^ ]+ [^ ]+))\] [^ ]+ \[akka://Broadcast/user/(?<host>\w+)\] "
    r"(?<clock>.*\}) (?<event>.*)"
)
RUNS = r"^=== (?<trace>.*) ===$"
PARSERS: dict[str, tuple[str | None, str | None]] = {
    "simpledb": (None, None),
    "facebook": (FACEBOOK, None),
    "facebook-multiple": (FACEBOOK, RUNS),
    "reliable-broadcast": (BROADCAST, None),
    "simple-reliable-broadcast": (BROADCAST, None),
}


def own_line(index: int, kind: str, sender: str, name: str, receiver: str, **clock: int) -> str:
    return json.dumps(
        {
            "index": index,
            "time": index / 2,
            "event": kind,
            "process": sender if kind == "send" else receiver,
            "message": {"sender": sender, "name": name, "receiver": receiver},
            "clock": clock,
        }
    )


OWN = "\n".join(
    [
        own_line(0, "handle", "env", "go", "a", a=1),
        own_line(1, "send", "a", "m", "b", a=2),
        own_line(2, "handle", "a", "m", "b", a=2, b=1),
        own_line(3, "send", "b", "n", "a", a=2, b=2),
    ]
)
LINES = "\n".join(
    [
        '{"service": "a", "kind": "send", "topic": "m", "to": "b", "msg_id": "1", "ts": "x"}',
        '{"service": "b", "kind": "receive", "topic": "m", "from": "a", "msg_id": "1", "ts": "y"}',
        '{"service": "b", "event": "started", "name": "work"}',
    ]
)
GOVECTOR = 'a {"a":1}\nInitialization Complete\nb {"b":1, "a":1}\ngot it\n'
TSVIZ = '1000 a {"a":1}\nbegin\n2000 b {"a":1, "b":1}\ngot it\n'
COMBINED = (
    r"(?<host>\S*) (?<clock>{.*})\n(?<event>.*)" + "\n\n" + GOVECTOR + 'a {"a":2, "b":1}\nend\n'
)
DETECTER = """fork(<0.1.0>, <0.2.0>, {server, loop, [1, 2]}).
init(<0.2.0>, <0.1.0>, {server, loop, [1, 2]}).
send(<0.1.0>, <0.2.0>, {order, "a, b)", 7}).
recv(<0.2.0>, {order, "a, b)", 7}).
exit(<0.2.0>, normal).
"""


def attribute(key: str, value: str) -> dict[str, Any]:
    return {"key": key, "value": {"stringValue": value}}


def span(
    number: int,
    name: str,
    kind: int | str,
    start: int,
    end: int,
    *,
    parent: int = 0,
    links: tuple[int, ...] = (),
    trace: int = 1,
    **attributes: str,
) -> dict[str, Any]:
    """A span as the collector writes it; `__` in names of attributes are dots."""
    found: dict[str, Any] = {
        "traceId": f"{trace:032x}",
        "spanId": f"{number:016x}",
        "name": name,
        "kind": kind,
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(end),
        "attributes": [attribute(k.replace("__", "."), v) for k, v in attributes.items()],
        "status": {},
    }
    if parent:
        found["parentSpanId"] = f"{parent:016x}"
    if links:
        found["links"] = [{"traceId": f"{trace:032x}", "spanId": f"{each:016x}"} for each in links]
    return found


def request(**services: list[dict[str, Any]]) -> dict[str, Any]:
    """A request with the spans of services."""
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": [attribute("service.name", name)]},
                "scopeSpans": [{"scope": {"name": "t", "version": "1"}, "spans": spans}],
            }
            for name, spans in services.items()
        ]
    }


OTLP = "\n".join(
    json.dumps(each)
    for each in (
        request(
            bank=[
                span(
                    *(2, "POST /charge", 2, 120, 180),
                    parent=1,
                    http__route="/charge",
                    http__request__method="POST",
                )
            ]
        ),
        request(
            shop=[
                span(1, "POST", 3, 100, 200, http__request__method="POST"),
                span(
                    *(3, "orders publish", 4, 210, 220),
                    messaging__system="kafka",
                    messaging__destination__name="orders",
                    messaging__operation="publish",
                ),
            ],
            store=[
                span(
                    *(4, "orders process", 5, 230, 240),
                    links=(3,),
                    messaging__system="kafka",
                    messaging__destination__name="orders",
                    messaging__operation="process",
                ),
                span(5, "work", 1, 232, 234, parent=4),
            ],
        ),
    )
)

ALL = {
    "events": OWN,
    "jsonl": LINES,
    "govector": GOVECTOR,
    "tsviz": TSVIZ,
    "combined": COMBINED,
    "detecter": DETECTER,
    "otlp": OTLP,
}


def read(text: str | bytes, *args: Any, **options: Any) -> list[RecordedEvent | Diagnostic]:
    content = text.encode() if isinstance(text, str) else text
    return list(read_recorded(io.BytesIO(content), *args, **options))


def events(text: str | bytes, *args: Any, **options: Any) -> list[RecordedEvent]:
    """Those of a log that is understood as a whole."""
    found = read(text, *args, **options)
    strange = [each for each in found if isinstance(each, Diagnostic)]
    assert not strange, strange
    return [each for each in found if isinstance(each, RecordedEvent)]


def strange(text: str | bytes, *args: Any, **options: Any) -> list[tuple[int, str]]:
    """Lines and messages of what was not understood."""
    found = read(text, *args, **options)
    return [(each.place.line, each.message) for each in found if isinstance(each, Diagnostic)]
