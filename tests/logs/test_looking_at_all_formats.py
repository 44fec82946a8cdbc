"""What `choreomon look` counts is what was written, whatever the format."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from io import BytesIO
from typing import Any, TypeAlias

import pytest

from choreomon.core.contents import Contents, Looking
from choreomon.core.message import HANDLE, SEND
from choreomon.core.recorded import RecordedEvent
from choreomon.logs.drafts.mapping_draft import Text, draft_of_texts
from choreomon.logs.mappings.mapping_document import parse_mapping
from choreomon.logs.readers.reading import read_recorded
from choreomon.logs.writers.json_lines import json_lines
from choreomon.logs.writers.made_clocks import with_clocks
from choreomon.logs.writers.otlp import recorded_otlp_request
from choreomon.logs.writers.shiviz import recorded_shiviz_log
from tests.logs.writers.test_exported_logs import EXPORTED, NOWHERE, drawn

Events: TypeAlias = Sequence[RecordedEvent]

PLAIN = r"^(?<host>\S+) INFO (?<event>.*)$"
PLAIN_MAPPING = parse_mapping(
    draft_of_texts(
        "shiviz",
        {"parser": PLAIN},
        [Text("t", 1, "sent x to y"), Text("t", 1, "got x from y")],
        "plain.log",
    ),
    "plain.yaml",
)


def own_lines(events: Events) -> str:
    lines = []
    for each in events:
        sender, receiver = (each.process, each.peer)[:: 1 if each.kind == SEND else -1]
        message = {"sender": sender, "name": each.name, "receiver": receiver}
        told = {"event": each.kind, "process": each.process, "message": message}
        lines.append(json.dumps({**told, "id": each.message_id}) + "\n")
    return "".join(lines)


def plain(events: Events) -> str:
    words = {SEND: ("sent", "to"), HANDLE: ("got", "from")}
    return "".join(
        f"{each.process} INFO {words[each.kind][0]} {each.name} {words[each.kind][1]} {each.peer}\n"
        for each in events
    )


def detecter(events: Events) -> str:
    return "".join(
        f"send({each.process}, {each.peer}, {{{each.name}, 1}})\n"
        if each.kind == SEND
        else f"recv({each.process}, {{{each.name}, 1}})\n"
        for each in events
    )


FORMATS: dict[str, tuple[Callable[[Events], str], dict[str, Any]]] = {
    "events": (own_lines, {}),
    "jsonl": (json_lines, {}),
    "otlp": (recorded_otlp_request, {}),
    "shiviz": (lambda events: recorded_shiviz_log(with_clocks(events)), {"mapping": EXPORTED}),
    "plain text": (plain, {"mapping": PLAIN_MAPPING}),
    "detecter": (detecter, {}),
}


def events_of(seed: int) -> list[RecordedEvent]:
    """Sends and handles of one session, which say both of their ends."""
    return [
        each._replace(
            place=NOWHERE,
            session="",
            message_id=f"{each.session}{each.message_id}",
            time=f"{1_700_000_000 + n}000000000",
        )
        for n, each in enumerate(drawn(seed))
        if each.kind != "local" and each.peer is not None and each.message_id is not None
    ]


def looked(text: str, options: dict[str, Any]) -> Contents:
    looking = Looking()
    for each in read_recorded(BytesIO(text.encode()), file="log", **options):
        looking.add(each)
    return looking.found()


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("seed", range(60))
def test_counts_are_those_of_what_was_written(format: str, seed: int) -> None:
    events = events_of(seed)
    if not events:
        return
    write, options = FORMATS[format]
    found = looked(write(events), options)
    assert found.events == len(events)
    assert found.strange == ()
    ends: Counter[tuple[object, ...]] = Counter()
    for each in events:
        knows = format != "detecter" or each.kind == SEND
        peer = each.peer if knows else None
        way = (each.process, peer) if each.kind == SEND else (peer, each.process)
        ends[each.kind, *way, each.name] += 1
    assert {
        (kind, each.sender, each.receiver, each.name): count
        for each in found.messages
        for kind, count in ((SEND, each.sent), (HANDLE, each.handled))
        if count
    } == ends
    assert {(each.process, each.sent, each.handled) for each in found.processes} == {
        (
            process,
            sum(each.process == process and each.kind == SEND for each in events),
            sum(each.process == process and each.kind == HANDLE for each in events),
        )
        for process in {each.process for each in events}
    }
