"""Lines at the end of files and descriptors: whole ones, also where writing stopped within one."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from choreomon.agent_files.addresses import Address
from choreomon.agent_files.agent_config import AgentConfig, LocalAccess
from choreomon.agent_files.delivered.sinks import FileSink, StdoutSink, WebhookSink
from choreomon.core.errors import DocumentError
from choreomon.runtime.delivery import line_sinks
from choreomon.runtime.delivery.configured_sinks import dead_letter_file, make_sinks
from choreomon.runtime.delivery.line_sinks import DescriptorLines, FileLines
from choreomon.runtime.delivery.sinks import SinkFailed
from choreomon.runtime.delivery.webhook import Webhook
from choreomon.runtime.delivery.worker_thread import WorkerThread

pytestmark = pytest.mark.asyncio


class Disk:
    """Writing that stops after so many bytes, as on a full disk, and counts what is synced."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.room = 10**9
        self.at_most = 10**9
        self.synced = 0
        write, fsync = os.write, os.fsync

        def written(descriptor: int, data: memoryview) -> int:
            if not self.room:
                raise OSError(28, "No space left on device")
            part = data[: min(self.room, self.at_most)]
            self.room -= len(part)
            return write(descriptor, part)

        def synced(descriptor: int) -> None:
            self.synced += 1
            fsync(descriptor)

        monkeypatch.setattr(line_sinks.os, "write", written)
        monkeypatch.setattr(line_sinks.os, "fsync", synced)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


async def test_lines_are_appended(tmp_path: Path) -> None:
    path = tmp_path / "words.jsonl"
    sink = FileLines(path)
    await sink.append(["one", "zwölf"])
    await sink.append(["three"])
    assert path.read_text(encoding="utf-8") == "one\nzwölf\nthree\n"
    await sink.close()
    again = FileLines(path)
    await again.append(["four"])
    await again.close()
    assert path.read_text(encoding="utf-8") == "one\nzwölf\nthree\nfour\n"


async def test_a_file_that_was_moved_away_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "words"
    sink = FileLines(path)
    await sink.append(["one"])
    path.rename(tmp_path / "words.1")
    await sink.append(["two"])
    path.rename(tmp_path / "words.2")
    path.write_text("somebody else's\n")
    await sink.append(["three"])
    assert (tmp_path / "words.1").read_text() == "one\n"
    assert (tmp_path / "words.2").read_text() == "two\n"
    assert path.read_text() == "somebody else's\nthree\n"
    await sink.close()


async def test_a_file_that_was_emptied_is_written_from_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "words"
    sink = FileLines(path)
    await sink.append(["one"])
    os.truncate(path, 0)
    await sink.append(["two"])
    assert path.read_bytes() == b"two\n"
    await sink.close()


async def test_short_writes_are_gone_on_with(tmp_path: Path, disk: Disk) -> None:
    disk.at_most = 3
    sink = FileLines(tmp_path / "words")
    await sink.append(["a long line", "and another one"])
    assert (tmp_path / "words").read_text() == "a long line\nand another one\n"
    await sink.close()


async def test_a_line_that_was_cut_off_is_ended_and_comes_again(tmp_path: Path, disk: Disk) -> None:
    path = tmp_path / "words"
    sink = FileLines(path)
    disk.room = 6
    with pytest.raises(SinkFailed, match="No space left"):
        await sink.append(["one", "two"])
    assert path.read_text() == "one\ntw"
    with pytest.raises(SinkFailed):
        await sink.append(["one", "two"])
    disk.room = 10**9
    await sink.append(["one", "two"])
    assert path.read_text() == "one\ntw\none\ntwo\n"
    await sink.close()


async def test_where_an_agent_was_killed_within_a_line_the_next_one_ends_it(tmp_path: Path) -> None:
    path = tmp_path / "words"
    path.write_text("one\ntw")
    sink = FileLines(path)
    await sink.append(["two"])
    assert path.read_text() == "one\ntw\ntwo\n"
    await sink.close()


async def test_sync_means_that_it_is_on_the_disk(tmp_path: Path, disk: Disk) -> None:
    sink = FileLines(tmp_path / "words", sync=True)
    await sink.append(["one"])
    assert disk.synced == 2  # the new file, and that it is in its folder
    await sink.append(["two"])
    assert disk.synced == 3
    await sink.close()
    plain = FileLines(tmp_path / "others")
    await plain.append(["one"])
    assert disk.synced == 3
    await plain.close()


async def test_what_cannot_be_written_fails_and_succeeds_when_it_can(tmp_path: Path) -> None:
    sink = FileLines(tmp_path / "folder" / "words")
    with pytest.raises(SinkFailed, match="cannot be written: No such file"):
        await sink.append(["one"])
    (tmp_path / "folder").mkdir()
    await sink.append(["one"])
    assert (tmp_path / "folder" / "words").read_text() == "one\n"
    await sink.close()


async def test_a_pipe_whose_reader_left_fails() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    sink = DescriptorLines(writing, "pipe")
    with pytest.raises(SinkFailed, match="Broken pipe"):
        await sink.append(["one"])
    os.close(writing)
    await sink.close()


async def test_a_reader_that_stands_still_does_not_hold_up_the_loop() -> None:
    reading, writing = os.pipe()
    sink = DescriptorLines(writing, "pipe")
    more_than_a_pipe_holds = "x" * 1_000_000
    taking = asyncio.ensure_future(sink.append([more_than_a_pipe_holds]))
    for _ in range(50):
        await asyncio.sleep(0)
    assert not taking.done()
    read = 0
    while read < 1_000_001:
        read += len(await asyncio.to_thread(os.read, reading, 1 << 16))
    await taking
    await sink.close()
    os.close(reading)
    os.close(writing)


# --- the thread ---------------------------------------------------------------------


async def test_calls_are_made_one_after_the_other_on_a_thread() -> None:
    thread = WorkerThread("a name")
    seen: list[Any] = []

    def call(number: int) -> Callable[[], int]:
        def made() -> int:
            seen.append((number, threading.current_thread().name))
            return number

        return made

    assert await asyncio.gather(*(thread.run(call(number)) for number in range(3))) == [0, 1, 2]
    assert seen == [(0, "a name"), (1, "a name"), (2, "a name")]
    with pytest.raises(ZeroDivisionError):
        await thread.run(lambda: 1 // 0)
    thread.close()


async def test_a_call_that_nobody_waits_for_any_more_does_no_harm() -> None:
    raised: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: raised.append(context))
    thread = WorkerThread("a name")
    go_on = threading.Event()
    waiting = asyncio.ensure_future(thread.run(go_on.wait))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    go_on.set()
    assert await thread.run(lambda: 7) == 7
    assert raised == []
    thread.close()


async def test_a_loop_that_was_closed_meanwhile_does_no_harm() -> None:
    go_on, done = threading.Event(), threading.Event()
    thread = WorkerThread("a name")

    def call() -> None:
        go_on.wait()
        done.set()

    async def given_up() -> None:
        waiting = asyncio.ensure_future(thread.run(call))
        await asyncio.sleep(0)
        waiting.cancel()

    def elsewhere() -> None:
        with asyncio.Runner() as runner:
            runner.run(given_up())

    await asyncio.to_thread(elsewhere)
    go_on.set()
    await asyncio.to_thread(done.wait)
    assert await thread.run(lambda: 7) == 7
    thread.close()


# --- as configured ------------------------------------------------------------------


@pytest.fixture
def config() -> Callable[..., AgentConfig]:
    def made(*sinks: Any, **fields: Any) -> AgentConfig:
        return AgentConfig(
            process="P",
            tables=(),
            listen="tcp://127.0.0.1:0",
            local=LocalAccess(tcp=Address("127.0.0.1", 0)),
            verdicts=sinks,
            file="agent.yaml",
            lines={("verdicts", 1): 12},
            **fields,
        )

    return made


async def test_sinks_are_made_as_configured(
    tmp_path: Path, config: Callable[..., AgentConfig], disk: Disk
) -> None:
    path = tmp_path / "words"
    sinks = make_sinks(
        config(
            StdoutSink(),
            FileSink(path),
            WebhookSink("https://user:secret@example.org/hook/secret", 3.0),
            durability="power",
        )
    )
    assert [type(sink) for sink in sinks] == [DescriptorLines, FileLines, Webhook]
    assert [sink.name for sink in sinks] == [
        "stdout",
        f"file {path}",
        "webhook https://example.org",
    ]
    assert sinks[2]._timeout == 3.0
    await sinks[1].append([json.dumps({})])
    assert disk.synced == 2
    for sink in sinks:
        await sink.close()


async def test_dead_letters_are_beside_the_store_where_nothing_else_is_said(
    tmp_path: Path, config: Callable[..., AgentConfig]
) -> None:
    url, said = "http://127.0.0.1:9/", tmp_path / "letters"
    store = tmp_path / "agent.db"
    made = config(WebhookSink(url), WebhookSink(url, dead_letter_file=said), store=store)
    beside, named = made.verdicts
    assert isinstance(beside, WebhookSink)
    assert isinstance(named, WebhookSink)
    assert dead_letter_file(beside, made) == tmp_path / "agent.db.dead-letters.jsonl"
    assert dead_letter_file(named, made) == said
    nowhere = config(WebhookSink(url), store=None, durability="off")
    assert dead_letter_file(beside, nowhere) is None
    assert all(isinstance(sink, Webhook) for sink in (*make_sinks(made), *make_sinks(nowhere)))


async def test_what_a_webhook_is_known_by_is_checked_before_anything_is_made(
    tmp_path: Path, config: Callable[..., AgentConfig]
) -> None:
    bad = tmp_path / "bad"
    bad.write_text("hidden\n")
    bad.chmod(0o600)
    url, letters = "http://127.0.0.1:9/", tmp_path / "no" / "letters"
    missing = WebhookSink(url, headers_file=bad, secret_file=tmp_path / "missing")
    with pytest.raises(DocumentError) as refused:
        make_sinks(config(StdoutSink(), missing))
    one, other = refused.value.problems
    assert (one.file, one.line) == (str(bad), 1)
    assert (other.file, other.line, other.field) == (
        "agent.yaml",
        12,
        "verdicts[1].webhook.secret_file",
    )
    assert "no such file" in other.message
    with pytest.raises(DocumentError) as refused:
        make_sinks(config(StdoutSink(), WebhookSink(url, dead_letter_file=letters)))
    (problem,) = refused.value.problems
    assert (problem.line, problem.field) == (12, "verdicts[1].webhook.dead_letter_file")
    assert "make it first" in problem.message


async def test_files_that_surely_cannot_be_written_are_named(
    tmp_path: Path, config: Callable[..., AgentConfig]
) -> None:
    with pytest.raises(DocumentError) as refused:
        make_sinks(config(FileSink(tmp_path), FileSink(tmp_path / "no" / "words")))
    one, other = refused.value.problems
    assert "is a folder: name a file in it" in one.message
    assert (other.file, other.line, other.field) == ("agent.yaml", 12, "verdicts[1].file")
    assert "make it first" in other.message
