"""What the page on the protocol says is so, and the client that it shows does what it shows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from choreomon.agent_files import local
from choreomon.agent_files.clocks import text as clock_text
from choreomon.agent_files.clocks.text import decode_clocks_untrusted, encode_clocks
from choreomon.runtime.driver import Driver
from choreomon.runtime.inputs import Hello, Input, Report
from tests.docs.ports import on_ports_of_its_own
from tests.docs.shell_pages import follow, missing_programs
from tests.docs.tables import table_under
from tests.runtime.driven import SYSTEM, Ports, made
from tests.scenarios.console_blocks import ROOT

PAGE = ROOT / "docs" / "agent-protocol.md"
TEXT = PAGE.read_text(encoding="utf-8")
MESSAGES = {
    each.__struct_config__.tag: each
    for each in (*get_args(local.ClientMessage), *get_args(local.AgentMessage))
}
SAID = re.findall(r"^([→←]) (\{.*\})$", TEXT, re.MULTILINE)


# What the page says.


def _shown(default: object) -> str:
    """A default as it is in a frame; of what is left out of it, none."""
    return "{}" if default is msgspec.UNSET else msgspec.json.encode(default).decode()


@pytest.mark.parametrize("tag", MESSAGES)
def test_every_message_has_its_fields_on_the_page(tag: str) -> None:
    fields = msgspec.structs.fields(MESSAGES[tag])
    if not fields:
        section = TEXT.partition(f"### `{tag}`\n")[2].partition("\n#")[0]
        assert "no fields" in section
        return
    assert [(row[0].strip("`"), row[1].strip("`")) for row in table_under(TEXT, f"`{tag}`")] == [
        (each.name, "" if each.required else _shown(each.default)) for each in fields
    ]


def test_what_is_said_in_the_conversation_can_be_said() -> None:
    decoders = {"→": local.decode_client_untrusted, "←": local.decode_agent_untrusted}
    said = [decoders[who](text.encode()) for who, text in SAID]
    assert [type(each).__name__ for each in said] == [
        *("Hello", "Welcome", "Report", "Clock", "Report", "Clock", "Goodbye", "Farewell"),
    ]
    clocks = [
        decode_clocks_untrusted(each.clock)
        for each in said
        if isinstance(each, local.Welcome | local.Clock)
    ]
    # A send of the first process, and a handle that no table names, of the second one's answer.
    assert [[*each.values()] for each in clocks] == [[(0, 0)], [(1, 0)], [(1, 1)]]


def test_the_frame_on_the_page_is_one() -> None:
    shown = re.search(r"`(\{.*\})` in hexadecimal:\n\n +([0-9a-f ]+)\n", TEXT)
    assert shown is not None
    frame = local.encode(local.decode_client_untrusted(shown.group(1).encode()))
    body = shown.group(1).encode()
    assert bytes.fromhex(shown.group(2)) == len(body).to_bytes(4, "big") + body
    assert local.FrameSplitter().feed(frame) != []


def test_every_reason_of_a_refusal_is_on_the_page() -> None:
    rows = table_under(TEXT, "Refusals")
    assert [row[0].strip("`") for row in rows] == [*get_args(local.RefusalReason)]


@pytest.mark.parametrize(
    "row", table_under(TEXT, "What travels with a message"), ids=lambda row: row[0]
)
def test_clocks_are_written_as_the_page_says(row: list[str]) -> None:
    clocks = {
        bytes.fromhex(key): tuple(map(int, entries.split(", ")))
        for key, entries in re.findall(r"`([0-9a-f]{8})`: ([\d, ]+\d)", row[0])
    }
    assert encode_clocks(clocks) == row[1].strip("`")
    assert decode_clocks_untrusted(row[1].strip("`")) == clocks


@pytest.mark.parametrize(
    "said",
    [
        f"at most {local.MAX_FRAME:,} bytes",
        f"send up to {local.MAX_AGENT_FRAME:,}",
        f"1 to {clock_text.MAX_ENTRIES}, one for each process",
        f"at most {clock_text.MAX_SYSTEMS} blocks",
        f"at most {clock_text.MAX_CLOCK_TEXT} letters",
        f"at most {local.MAX_TOKEN} characters",
        "0 to 2^62-1",
        "0 to 2^53-1",
    ],
)
def test_bounds_are_those_of_the_page(said: str) -> None:
    assert said in " ".join(TEXT.split())
    assert clock_text.MAX_ENTRY == 2**62 - 1
    assert local.MAX_NUMBER == 2**53 - 1


def replies(driver: Driver, given: Input, monkeypatch: pytest.MonkeyPatch, ports: Ports) -> Any:
    """What a driver answers to one input."""
    said: list[Any] = []
    monkeypatch.setattr(ports, "reply", lambda output: said.append(output.message))
    driver.take(given)
    driver.flush()
    (message,) = said
    return message


def test_who_follows_the_simple_way_can_remind_an_agent_of_all_that_it_was_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An agent of B that has lost its store; B heard of A's events, too, and merges nothing."""
    driver, ports, _, _ = made()
    asked = encode_clocks({SYSTEM[:4]: (7, 0)})
    for number in (1, 2, 3):
        report = Report(1, "s", number, number - 1, "send", "A", "b", asked, 0)
        answer = replies(driver, report, monkeypatch, ports)
    assert [*decode_clocks_untrusted(answer.clock).values()] == [(7, 3)]

    def first_clock(*reminders: Report) -> tuple[int, ...]:
        """Of the first event in a new life."""
        forgetful, anew, _, _ = made(session=None)
        hello = Hello(1, "block", "", "new", 0)
        assert replies(forgetful, hello, monkeypatch, anew).number == 0
        for reminder in reminders:
            replies(forgetful, reminder, monkeypatch, anew)
        number = len(reminders) + 1
        event = Report(1, "new", number, number - 1, "send", "A", "b", "", 0)
        (clock,) = decode_clocks_untrusted(
            replies(forgetful, event, monkeypatch, anew).clock
        ).values()
        return clock

    assert first_clock() == (0, 1)  # a count that is used twice
    reminder = Report(1, "new", 1, 0, "send", "env", "reminder", answer.clock, 0)
    known, own = first_clock(reminder)
    assert known == 7
    assert own > 3


# The client.


def test_who_follows_the_page_has_a_client_that_speaks(tmp_path: Path) -> None:
    if missing := missing_programs(TEXT):
        pytest.skip(f"this machine has no {', '.join(missing)}, which docs/agent-protocol.md uses")
    (tmp_path / "clients").symlink_to(ROOT / "clients")
    with on_ports_of_its_own(TEXT) as text:
        follow(text, tmp_path)
