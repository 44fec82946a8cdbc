"""Logs in other formats, where commands read multi-traces."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from choreomon.core.errors import DocumentError
from choreomon.hibou.signature import Signature
from choreomon.logs.readers.multi_traces import MultiTracesOfLog
from choreomon.multitrace.multitrace import MultiTrace
from tests.cli.command_line import Answer, choreomon
from tests.logs.readers.logs_for_tests import (
    BROADCAST,
    DETECTER,
    LINES,
    OTLP,
    OWN,
    SHIVIZ,
    read,
)

INTERACTION = "seq(shop -- order -> bank, bank -- done -> shop)"


def traces(log: str, **options: object) -> list[tuple[str, dict[str, list[str]]]]:
    made = MultiTracesOfLog("log", **options)  # type: ignore[arg-type]
    for recorded in read(log):
        made.take(recorded)
    return [(session, shown(one)) for session, one in made.multi_traces()]


def shown(multitrace: MultiTrace) -> dict[str, list[str]]:
    return {
        ",".join(part.lifelines): [str(action) for action in part.actions]
        for part in multitrace.components
    }


def record(process: str, kind: str, name: str, **more: object) -> str:
    return json.dumps({"process": process, "kind": kind, "name": name, **more})


def test_sends_and_handles_become_actions_of_their_processes() -> None:
    assert traces(OWN) == [("", {"a": ["a?go", "a!m"], "b": ["b?m", "b!n"]})]
    assert traces(LINES) == [("", {"a": ["a!m"], "b": ["b?m"]})]
    log = "\n".join([record("a", "send", "m"), record("c", "local", "x")])
    assert traces(log) == [("", {"a": ["a!m"], "c": []})]


def test_each_session_is_a_multi_trace() -> None:
    log = "\n".join(
        record("a", "send", f"m{number}", session=f"s{number % 2}") for number in range(4)
    )
    assert traces(log) == [("s0", {"a": ["a!m0", "a!m2"]}), ("s1", {"a": ["a!m1", "a!m3"]})]


def test_processes_with_a_common_clock_share_a_component() -> None:
    log = "\n".join([record("b", "send", "m"), record("a", "send", "n"), record("c", "send", "o")])
    assert traces(log, partition=[["a", "b"]]) == [("", {"a,b": ["b!m", "a!n"], "c": ["c!o"]})]


def test_clocks_and_numbers_order_what_stands_in_another_order() -> None:
    log = [record("a", "send", f"m{place}", seq=place) for place in (3, 1, 2)]
    assert traces("\n".join(log)) == [("", {"a": ["a!m1", "a!m2", "a!m3"]})]
    log = [record("a", "send", f"m{place}", clock={"a": place}) for place in (3, 1, 2)]
    assert traces("\n".join(log)) == [("", {"a": ["a!m1", "a!m2", "a!m3"]})]
    log.append(record("a", "send", "m"))
    assert traces("\n".join(log)) == [("", {"a": ["a!m3", "a!m1", "a!m2", "a!m"]})]


def test_what_a_signature_does_not_declare_is_refused_with_its_line() -> None:
    signature = Signature(("a", "b", "c"), ("m",))
    with pytest.raises(DocumentError, match=r"log:2: .*'n'"):
        traces("\n".join([record("a", "send", "m"), record("a", "send", "n")]), signature=signature)
    assert traces(record("a", "send", "m"), signature=signature) == [
        ("", {"a": ["a!m"], "b": [], "c": []})
    ]


def test_a_log_of_local_events_alone_asks_for_a_mapping() -> None:
    with pytest.raises(DocumentError, match=r"no sends and no handles.*--mapping FILE"):
        traces(record("a", "local", "m"))


# ---------------------------------------------------------------- the commands


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "i.hif").write_text(INTERACTION)
    (tmp_path / "sessions.log").write_text(
        "\n".join(
            [
                record("shop", "send", "order", trace_id="t1"),
                record("bank", "receive", "order", trace_id="t1"),
                record("bank", "send", "done", trace_id="t2"),
                record("shop", "receive", "done", trace_id="t1"),
            ]
        )
    )
    return tmp_path


def verdicts(answer: Answer) -> dict[str, str | None]:
    found = [json.loads(line) for line in answer.out.splitlines()]
    return {each["trace"]: each["verdict"] for each in found}


def test_verify_reads_a_log_and_judges_each_session(folder: Path) -> None:
    answer = choreomon("verify", "-i", "i.hif", "sessions.log", "--json", "--mode", "accept")
    assert verdicts(answer) == {"sessions.log [t1]": "Fail", "sessions.log [t2]": "Fail"}
    assert answer.code == 1
    answer = choreomon(
        *("verify", "-i", "i.hif", "sessions.log", "--json", "--mode", "multiprefix"),
        *("--jobs", "2"),
    )
    assert verdicts(answer) == {"sessions.log [t1]": "WeakPass", "sessions.log [t2]": "Fail"}
    (folder / "m.yaml").write_text("process: process\nkind: {table: {receive: handle, send: send},"
                                   " of: kind}\nname: name\n")  # fmt: skip
    answer = choreomon(
        *("verify", "-i", "i.hif", "sessions.log", "--json", "--mode", "accept"),
        *("--mapping", "m.yaml"),
    )
    assert verdicts(answer) == {"sessions.log": "Pass"}
    assert answer.code == 0


def test_verify_takes_sessions_from_a_field(folder: Path) -> None:
    answer = choreomon(
        "verify", "-i", "i.hif", "sessions.log", "--json", "--session-key", "process", "--explain"
    )
    assert {*verdicts(answer)} == {"sessions.log [shop]", "sessions.log [bank]"}


def test_verify_tells_what_it_did_not_understand_and_what_it_could_not_read(folder: Path) -> None:
    good = (folder / "sessions.log").read_text()
    (folder / "broken.log").write_text("\n".join(["{", "{", good, *["[]"] * 3, good]))
    (folder / "local.log").write_text(record("a", "local", "m"))
    answer = choreomon("verify", "-i", "i.hif", "broken.log", "local.log", "--json")
    found = verdicts(answer)
    assert found["local.log"] is None
    assert {*found} == {"local.log", "broken.log [t1]", "broken.log [t2]"}
    assert "broken.log:1: not understood: it is not JSON: it ends too early" in answer.err
    assert "broken.log: 5 lines or spans were not understood in all" in answer.err
    assert "local.log: has no sends and no handles" in answer.err
    assert answer.code == 2


def test_join_reads_logs_of_several_formats(folder: Path) -> None:
    (folder / "otlp.json").write_text(OTLP)
    (folder / "erlang.log").write_text(DETECTER.replace("<0.1.0>", "p").replace("<0.2.0>", "q"))
    (folder / "t.htf").write_text("{ [z] z!m }")
    answer = choreomon("join", "otlp.json", "erlang.log", "t.htf", "--json")
    assert answer.code == 0
    names = [part["lifelines"] for part in json.loads(answer.out)["components"]]
    assert names == [["bank"], ["shop"], ["store"], ["p"], ["q"], ["z"]]


def test_join_reads_what_a_parser_and_a_mapping_say(folder: Path) -> None:
    (folder / "m.yaml").write_text(
        "events:\n"
        r"- match: {event: '^Sending (?<name>\w+)'}"
        "\n  kind: {constant: send}\n"
        r"- match: {event: '^Received (?<name>\w+)'}"
        "\n  kind: {constant: handle}\n"
    )
    log = str(SHIVIZ / "simple-reliable-broadcast.log")
    answer = choreomon("join", log, "--parser", BROADCAST, "--mapping", "m.yaml")
    assert answer.out.count("SLDeliver") == 16
    assert answer.out.count("?ACK") == 8
    answer = choreomon("join", log, "--mapping", "m.yaml")
    assert answer.code == 2
    assert "--parser" in answer.err


def test_a_format_and_a_delimiter_can_be_said(folder: Path) -> None:
    text = '-- one\nshop {"shop":1} !order\n-- two\nshop {"shop":1} !order\n'
    (folder / "runs.txt").write_text(text)
    (folder / "m.yaml").write_text(
        "events:\n- match: {event: '^!(?<name>.*)'}\n  kind: {constant: send}\n"
    )
    answer = choreomon(
        *("verify", "-i", "i.hif", "runs.txt", "--format", "shiviz", "--mapping", "m.yaml"),
        *("--parser", "(?<host>.*) (?<clock>{.*}) (?<event>.*)", "--json"),
        *("--delimiter", "^-- (?<trace>.*)$", "--mode", "accept", "--colocated", "shop,bank"),
    )
    assert {*verdicts(answer)} == {"runs.txt [one]", "runs.txt [two]"}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--format", "otlp"), "nothing in it was understood as otlp"),
        (("--format", "events", "--parser", "x"), "which has no use for a parser"),
        (("--parser", "("), "is no regular expression"),
        (("--mapping", "nothing.yaml"), "there is no such file"),
        (("--format", "csv"), "Invalid value for '--format'"),
        (("--sessions", "sessions.log", "--parser", "x"), "--parser can only be used without"),
    ],
)
def test_what_is_wrong_with_options_is_told(
    folder: Path, arguments: tuple[str, ...], told: str
) -> None:
    files = () if "--sessions" in arguments else ("sessions.log",)
    answer = choreomon("verify", "-i", "i.hif", *files, *arguments)
    assert answer.code == 2
    assert told in answer.err


def test_files_that_are_multi_traces_are_read_as_before(folder: Path) -> None:
    (folder / "t.htf").write_text("{ [shop] shop!order.shop?done; [bank] bank?order.bank!done }")
    (folder / "run-1.jsonl").write_text(OWN)
    (folder / "other").write_text("{ [shop] shop!order }")
    answer = choreomon("verify", "-i", "i.hif", "t.htf", "run-1.jsonl", "other", "--json")
    assert verdicts(answer) == {"t.htf": "Pass", "run-1.jsonl": "Fail", "other": "WeakPass"}
    answer = choreomon("verify", "-i", "i.hif", "t.htf", "--session-key", "x")
    assert "--session-key can only be used with --sessions, or with logs" in answer.err
