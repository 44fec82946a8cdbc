"""What is logged: lines of JSON or text, that nothing in them can break, and seldom what others may
cause as often as they like."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choreomon.agent_files.agent_config import LogFormat, LogLevel, LogSettings
from choreomon.runtime.operations import logs
from choreomon.runtime.operations.logs import MAX_KEYS, MAX_VALUE, Log, OncePerInterval, configure

WALL = 1_769_860_800.25
TIME = "2026-01-31T12:00:00.250Z"


class Screen(io.StringIO):
    """What was logged."""

    def lines(self) -> list[str]:
        return self.getvalue().splitlines()

    def json(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines()]


class Configured:
    def __init__(self) -> None:
        self.undo: list[Callable[[], None]] = []

    def __call__(self, level: LogLevel = "info", format: LogFormat = "json") -> Screen:
        screen = Screen()
        self.undo.append(configure(LogSettings(level, format), stream=screen, wall=lambda: WALL))
        return screen


@pytest.fixture
def configured() -> Iterator[Configured]:
    made = Configured()
    yield made
    for undo in made.undo:
        undo()


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_thing_is_a_json_object_a_line(configured: Configured) -> None:
    screen = configured()
    Log(process="P").info("ready", port=7, peers=["Q"], http=None, at=1.5)
    assert screen.json() == [
        {
            "time": TIME,
            "level": "info",
            "message": "ready",
            "process": "P",
            "port": 7,
            "peers": ["Q"],
            "http": None,
            "at": 1.5,
        }
    ]


def test_a_thing_is_a_line_of_text(configured: Configured) -> None:
    screen = configured(format="text")
    Log(process="P").warning("refused", why='a "b"', n=3, empty="", bad="x\ny\x1b[2J", name="ö")
    assert screen.lines() == [
        f'{TIME} warning refused process=P why="a \\"b\\"" n=3 empty="" '
        'bad="x\\ny\\u001b[2J" name="\\u00f6"'
    ]


@given(st.text(), st.dictionaries(st.sampled_from(["one", "two"]), st.text() | st.integers()))
def test_nothing_in_it_breaks_a_line(message: str, fields: dict[str, Any]) -> None:
    for format in ("json", "text"):
        screen = Screen()
        undo = configure(
            LogSettings("info", format),  # type: ignore[arg-type]
            stream=screen,
            wall=lambda: WALL,
        )
        try:
            Log().info(message, **fields)
        finally:
            undo()
        text = screen.getvalue()
        assert text.count("\n") == 1
        assert text.endswith("\n")
        assert all(sign.isprintable() for sign in text[:-1])
        if format == "json" and len(message) <= MAX_VALUE:
            assert json.loads(text)["message"] == message


@pytest.mark.parametrize(
    ("level", "shown"),
    [
        ("debug", ["debug", "info", "warning", "error"]),
        ("info", ["info", "warning", "error"]),
        ("warning", ["warning", "error"]),
        ("error", ["error"]),
    ],
)
def test_the_level_is_the_least_that_is_logged(
    configured: Configured, level: LogLevel, shown: list[str]
) -> None:
    screen = configured(level)
    log = Log()
    for say in (log.debug, log.info, log.warning, log.error):
        say("something")
    assert [line["level"] for line in screen.json()] == shown


def test_what_is_long_is_cut(configured: Configured) -> None:
    screen = configured()
    Log().info("x" * 2000, detail="y" * 10**6)
    (line,) = screen.json()
    assert line["detail"] == "y" * MAX_VALUE + "... (1000000 characters)"
    assert len(screen.getvalue()) < 3 * MAX_VALUE


@pytest.mark.parametrize("format", ["json", "text"])
def test_an_error_has_its_traceback(configured: Configured, format: LogFormat) -> None:
    screen = configured(format=format)
    try:
        raise ZeroDivisionError("oh")
    except ZeroDivisionError as error:
        Log().error("something went wrong", cause=error)
    if format == "json":
        (line,) = screen.json()
        assert line["traceback"].endswith("ZeroDivisionError: oh")
    else:
        assert screen.lines()[-1] == "ZeroDivisionError: oh"


def test_what_libraries_warn_of_is_logged_with_their_name(configured: Configured) -> None:
    screen = configured("debug")
    logging.getLogger("asyncio").error("Task %s was destroyed", 7)
    logging.getLogger("asyncio").info("nobody asked")
    ((line),) = screen.json()
    assert line == {
        "time": TIME,
        "level": "error",
        "message": "Task 7 was destroyed",
        "logger": "asyncio",
    }


def test_that_nobody_reads_it_is_no_reason_to_fail() -> None:
    screen = Screen()
    undo = configure(LogSettings(), stream=screen)
    screen.close()
    Log().info("ready")
    undo()


def test_configuring_can_be_undone() -> None:
    root, own = logging.getLogger(), logging.getLogger(logs.NAME)
    before = ([*root.handlers], own.level)
    configure(LogSettings("debug"), stream=Screen())()
    assert ([*root.handlers], own.level) == before


# --- seldom -------------------------------------------------------------------------


def test_what_others_cause_is_logged_once_an_interval_with_how_much_was_left_out(
    configured: Configured,
) -> None:
    screen, clock = configured(), Clock()
    log = Log(now=clock, interval=60.0)
    for second in (0, 0, 10, 59.9):
        clock.now = second
        log.seldom("malformed", "refused", detail=second)
    log.seldom("rights", "refused")
    clock.now = 60.0
    log.seldom("malformed", "refused", detail=60)
    log.seldom("malformed", "refused")
    log.close()
    log.close()
    assert [
        (line["message"], line.get("detail"), line.get("left_out"), line.get("about"))
        for line in screen.json()
    ] == [
        ("refused", 0, None, None),
        ("refused", None, None, None),
        ("refused", 60, 3, None),
        ("more of it was left out", None, 1, "malformed"),
    ]


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 40)), max_size=60),
    st.floats(0.5, 30),
)
def test_all_is_let_through_or_counted_and_never_twice_in_an_interval(
    things: list[tuple[str, float]], interval: float
) -> None:
    limiter, now = OncePerInterval(interval), 0.0
    told = dict.fromkeys("abc", 0)
    last: dict[str, float] = {}
    for key, later in things:
        now += later
        left_out = limiter.passes(key, now)
        if left_out is not None:
            assert key not in last or now - last[key] >= interval
            last[key] = now
            told[key] += 1 + left_out
    for key, left_out in limiter.rest().items():
        told[key] += left_out
    assert told == {key: sum(each == key for each, _ in things) for key in "abc"}


def test_keys_are_bounded() -> None:
    limiter = OncePerInterval(60.0)
    passed = [limiter.passes(f"key {number}", 0.0) for number in range(MAX_KEYS + 50)]
    assert passed[:MAX_KEYS] == [0] * MAX_KEYS
    assert passed[MAX_KEYS:] == [0] + [None] * 49  # those beyond count as one
    assert limiter.rest() == {"other": 49}
    for number in range(MAX_KEYS):
        assert limiter.passes(f"key {number}", 100.0) == 0
    assert limiter.passes("key 7", 101.0) is None
    assert limiter.passes("a new one", 200.0) == 0  # the others are of another interval
    assert limiter.passes("a new one", 201.0) is None
    assert limiter.rest() == {"key 7": 1, "a new one": 1}
