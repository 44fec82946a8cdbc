"""`choreomon export` of logs: what it writes is read back, and says the same about properties."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from benchmarks.log_mutants import logs_in, mutant
from tests.audit.test_logs_of_shiviz import EXAMPLES, LOGS, PINNED, VIOLATED, options
from tests.cli.command_line import choreomon
from tests.logs.readers.logs_for_tests import COMBINED, DETECTER, GOVECTOR, LINES, OTLP, TSVIZ
from tests.scenarios.console_blocks import ROOT

READ_BACK = {
    "jsonl": [],
    "shiviz": ["--mapping", str(EXAMPLES / "exported-mapping.yaml")],
    "otlp": ["--session-key", "attributes.choreomon.session"],
}
"""How what was written is read again."""


def exported(log: str, form: str, *how: object) -> str:
    """What the command prints."""
    answer = choreomon("export", log, "--to", form, *how)
    assert (answer.code, answer.err) == (0, ""), answer
    return answer.out


def events_of(text: str, without: Iterable[str] = ()) -> dict[tuple[str, str], list[Any]]:
    """The events of lines of JSON, of each process of each session in its order; those of spans
    come in another order where they are of several processes."""
    found: dict[tuple[str, str], list[Any]] = {}
    for line in text.splitlines():
        event = {key: value for key, value in json.loads(line).items() if key not in without}
        found.setdefault((event.get("session", ""), event["process"]), []).append(event)
    return found


@pytest.mark.parametrize("form", READ_BACK)
@pytest.mark.parametrize("log", PINNED)
def test_the_logs_of_shiviz_come_back_from_every_format(form: str, log: str) -> None:
    quiet = options(log)
    if log == "reliable-broadcast":  # a line of it is no event, which is told
        source = (LOGS / f"{log}.log").read_text(encoding="utf-8").split("\n")
        Path("l.log").write_text("\n".join([*source[:7], *source[8:]]), encoding="utf-8")
    else:
        Path("l.log").write_bytes((LOGS / f"{log}.log").read_bytes())
    Path("again").write_text(exported("l.log", form, *quiet), encoding="utf-8")
    # Times of spans are places, names without a meaning are what spans are called.
    without = {"time", "fields"} if form == "otlp" else set()
    if form == "shiviz":
        without = {"fields"}  # which the mapping does not ask for
    before = events_of(exported("l.log", "jsonl", *quiet), without)
    after = events_of(exported("again", "jsonl", *READ_BACK[form]), without | {"message_id"})
    assert after == before
    assert sum(map(len, after.values())) == sum(PINNED[log][1].values())


@pytest.mark.parametrize("form", READ_BACK)
@pytest.mark.parametrize(("log", "property_name"), VIOLATED)
def test_what_was_exported_violates_what_the_log_did(
    form: str, log: str, property_name: str
) -> None:
    answer = choreomon(
        *("export", LOGS / f"{log}.log", "--to", form, *options(log), "-o", f"again.{form}")
    )
    assert (answer.code, answer.out) == (0, "")
    assert ("not understood" in answer.err) == (log == "reliable-broadcast")
    if form == "shiviz" and log == "facebook-multiple":
        how = ["--delimiter", "^=== (?<trace>.*) ===$"]
    elif log == "facebook-multiple":
        how = ["--session-key", "session" if form == "jsonl" else "traceId"]
    else:
        how = []
    how += READ_BACK[form] if form == "shiviz" else []
    found = choreomon("audit", EXAMPLES / f"{property_name}.yaml", f"again.{form}", *how, "--json")
    assert found.code == 1, found.err
    audited = json.loads(found.out)
    if how and "kinds" in audited:
        verdicts = [one["verdict"] for one in audited["kinds"] for _ in range(one["verdicts"])]
    else:
        verdicts = [one["verdict"] for one in audited["verdicts"]]
    assert verdicts == ["violated"] * len(VIOLATED[log, property_name])


def test_the_events_of_a_run_that_was_exported_as_spans_come_back() -> None:
    assert choreomon("simulate", "violated.yaml", "--trace", "t", "--json").code == 1
    spans = exported("t/run-0.jsonl", "otlp")
    Path("spans.json").write_text(spans, encoding="utf-8")
    before = events_of(exported("t/run-0.jsonl", "jsonl", "--format", "events"), ["time"])
    after = events_of(exported("spans.json", "jsonl"), ["time", "fields", "message_id"])
    assert after == before
    audited = choreomon("audit", "violated.yaml", "spans.json", "--json")
    assert audited.code == 1
    assert json.loads(audited.out)["overall"]["verdict"] == "violated"


WITHOUT_CLOCKS = {"otlp": OTLP, "jsonl": LINES}
WITH_CLOCKS = {"govector": GOVECTOR, "tsviz": TSVIZ, "combined": COMBINED}


@pytest.mark.parametrize("name", WITHOUT_CLOCKS)
def test_logs_without_clocks_get_those_that_their_messages_tell(name: str) -> None:
    Path("l.log").write_text(WITHOUT_CLOCKS[name], encoding="utf-8")
    Path("s.log").write_text(exported("l.log", "shiviz"), encoding="utf-8")
    without = ["time", "fields", "clock"]
    before = events_of(exported("l.log", "jsonl"), without)
    after = events_of(exported("s.log", "jsonl", *READ_BACK["shiviz"]), without)
    assert after == before
    clocks = [json.loads(line)["clock"] for line in exported("s.log", "jsonl").splitlines()]
    if name == "jsonl":
        assert clocks == [{"a": 1}, {"a": 1, "b": 1}, {"a": 1, "b": 2}]
    else:
        assert {"bank": 1, "shop": 1} in clocks
        assert max(clock.get("shop", 0) for clock in clocks) == 3


@pytest.mark.parametrize("form", READ_BACK)
@pytest.mark.parametrize("name", [*WITHOUT_CLOCKS, *WITH_CLOCKS])
def test_every_format_is_written_in_every_format(name: str, form: str) -> None:
    Path("l.log").write_text({**WITHOUT_CLOCKS, **WITH_CLOCKS}[name], encoding="utf-8")
    Path("again").write_text(exported("l.log", form), encoding="utf-8")
    without = ["time", "fields", "clock", "message_id"]
    before = events_of(exported("l.log", "jsonl"), without)
    assert events_of(exported("again", "jsonl", *READ_BACK[form]), without) == before


@pytest.mark.parametrize("form", READ_BACK)
def test_logs_of_several_processes_are_one_system(form: str) -> None:
    for name, own in {"a": LINES.splitlines()[:1], "b": LINES.splitlines()[1:]}.items():
        Path(f"{name}.log").write_text("\n".join(own), encoding="utf-8")
    Path("l.log").write_text(LINES, encoding="utf-8")
    assert exported("b.log", "jsonl", "a.log").splitlines() == [
        *exported("b.log", "jsonl").splitlines(),
        *exported("a.log", "jsonl").splitlines(),
    ]
    Path("again").write_text(exported("b.log", form, "a.log"), encoding="utf-8")
    without = ["time", "fields", "message_id", "clock"]
    before = events_of(exported("l.log", "jsonl"), without)
    assert events_of(exported("again", "jsonl", *READ_BACK[form]), without) == before
    assert exported("b.log", "mermaid", "a.log") == exported("l.log", "mermaid")
    clocks = re.findall(r"^\w+ ({.*})$", exported("b.log", "shiviz", "a.log"), re.MULTILINE)
    assert clocks == ['{"a": 1}', '{"a": 1, "b": 1}', '{"a": 1, "b": 2}']


def test_our_own_logs_are_logs_where_it_is_said_or_where_they_are_several() -> None:
    page = (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")
    names = []
    for name, text in re.findall(r"^```json (\w+\.jsonl)\n(.*?)^```$", page, re.M | re.S)[:3]:
        Path(name).write_text(text, encoding="utf-8")
        names.append(name)
    assert names == ["shop.jsonl", "desk.jsonl", "warehouse.jsonl"]
    answer = choreomon("export", "shop.jsonl", "--to", "shiviz")
    assert (answer.code, answer.out) == (2, "")
    alone = exported("shop.jsonl", "shiviz", "--format", "events")
    assert alone.count("\nshop {") == 3
    together = exported(names[0], "shiviz", *names[1:])
    assert together.count("\nwarehouse {") == 4
    assert 'warehouse {"desk": 1, "shop": 3, "warehouse": 4}' in together


def test_times_of_spans_stay_what_they_are() -> None:
    Path("l.log").write_text(TSVIZ, encoding="utf-8")
    Path("s.json").write_text(exported("l.log", "otlp"), encoding="utf-8")
    times = [json.loads(line)["time"] for line in exported("s.json", "jsonl").splitlines()]
    assert times == ["1000", "2000"]
    Path("l.log").write_text(TSVIZ.replace("2000 b", "500 a"), encoding="utf-8")
    spans = json.loads(exported("l.log", "otlp"))["resourceSpans"][0]["scopeSpans"][0]["spans"]
    assert [span["startTimeUnixNano"] for span in spans] == ["1", "2"]
    told = [one for span in spans for one in span["attributes"] if one["key"] == "choreomon.time"]
    assert [one["value"]["stringValue"] for one in told] == ["1000", "500"]


@pytest.mark.parametrize(("form", "arrow"), [("mermaid", r"-x"), ("plantuml", r"->x")])
def test_diagrams_have_every_message_and_no_local_event(form: str, arrow: str) -> None:
    log = LOGS / "simple-reliable-broadcast.log"
    text = exported(str(log), form, *options("simple-reliable-broadcast"))
    assert text.count("SLDeliver.1") == text.count("ACK.1") == 8
    assert text.count("deliver.1\n") == 3
    assert "Tick" not in text
    assert arrow not in text  # nobody knows what the application did with what it got
    Path("l.log").write_text(LINES.splitlines()[0] + "\n" + LINES.splitlines()[2], encoding="utf-8")
    assert arrow in exported("l.log", form)


@pytest.mark.parametrize(("form", "end"), [("mermaid", "mmd"), ("plantuml", "puml")])
def test_a_log_fits_its_own_diagram(form: str, end: str) -> None:
    log = LOGS / "facebook.log"
    Path(f"d.{end}").write_text(exported(str(log), form, *options("facebook")), encoding="utf-8")
    answer = choreomon("verify", "-i", f"d.{end}", log, *options("facebook"))
    assert answer.code == 0, answer
    assert ": 1 Pass" in answer.out


def test_a_session_is_chosen() -> None:
    log = LOGS / "facebook-multiple.log"
    first = exported(str(log), "jsonl", *options("facebook-multiple"), "--session", "Execution #1")
    assert len(first.splitlines()) == 47
    diagram = exported(
        str(log), "mermaid", *options("facebook-multiple"), "--session", "Execution #2"
    )
    assert diagram.count("status") == 2
    spans = [json.loads(line) for line in OTLP.splitlines()]
    Path("one.json").write_text(OTLP, encoding="utf-8")
    trace = f"{1:032x}"
    Path("two.json").write_text(
        "\n".join([*map(json.dumps, spans), OTLP.replace(trace, f"{2:032x}")]), encoding="utf-8"
    )
    how = ["--session-key", "traceId", "--session", trace]
    assert exported("two.json", "jsonl", *how) == exported("one.json", "jsonl", *how)
    assert len(exported("two.json", "jsonl").splitlines()) == 2 * len(
        exported("one.json", "jsonl").splitlines()
    )


@pytest.mark.parametrize(
    ("log", "arguments", "said"),
    [
        (
            "facebook-multiple",
            ["--to", "mermaid"],
            "has 2 sessions, and a diagram is of one: choos",
        ),
        (
            "facebook-multiple",
            ["--to", "jsonl", "--session", "x"],
            "has no session 'x', but 'Execution #1', 'Execution #2'",
        ),
        (
            "facebook",
            ["--to", "hif"],
            "is a log: --to is one of shiviz, otlp, jsonl, mermaid, plan",
        ),
        (
            "facebook",
            ["--to", "json"],
            "is a log: --to is one of shiviz, otlp, jsonl, mermaid, pla",
        ),
        ("facebook", ["--to", "otlp", "--seed", "1"], "--seed can only be used with a document or"),
        ("facebook", ["--to", "otlp", "--results", "r"], "--results can only be used with a docu"),
    ],
)
def test_what_has_no_meaning_is_an_error_that_says_what_is_missing(
    log: str, arguments: list[str], said: str
) -> None:
    answer = choreomon("export", LOGS / f"{log}.log", *options(log), *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err


@pytest.mark.parametrize(
    ("text", "arguments", "said"),
    [
        (GOVECTOR, ["--to", "plantuml"], "l.log: has no sends and no handles, only local events"),
        (
            DETECTER,
            ["--to", "shiviz"],
            "l.log: l.log:4: handles order without a message id or a clock, so that nobody can say",
        ),
        (
            LINES.replace('"a"', '"a {b}"'),
            ["--to", "shiviz"],
            "'a {b}' cannot be a host of ShiViz: one of the processes has a blank",
        ),
        (
            LINES.replace('"ts": "x"', '"clock": {"a": 1}'),
            ["--to", "shiviz"],
            "l.log:2: has no clock, and others have one",
        ),
        ("neither\nnor\n", ["--to", "shiviz", "--format", "jsonl"], "nothing in it was understood"),
    ],
)
def test_logs_that_lack_something_are_told(text: str, arguments: list[str], said: str) -> None:
    Path("l.log").write_text(text, encoding="utf-8")
    answer = choreomon("export", "l.log", *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert said in re.sub(r"\s+", " ", answer.err)


@pytest.mark.parametrize(
    "option", [["--format", "otlp"], ["--session-key", "x"], ["--session", "x"], ["--parser", "x"]]
)
def test_options_of_logs_are_refused_elsewhere(place: Path, option: list[str]) -> None:
    place.joinpath("i.hif").write_text("a -- m -> b", encoding="utf-8")
    answer = choreomon("export", "i.hif", "--to", "json", *option)
    assert (answer.code, answer.out) == (2, "")
    assert f"{option[0]} can only be used with logs" in answer.err


def test_the_mapping_is_not_written_over(place: Path) -> None:
    place.joinpath("l.log").write_text(GOVECTOR, encoding="utf-8")
    place.joinpath("m.yaml").write_text("format: shiviz\n", encoding="utf-8")
    answer = choreomon("export", "l.log", "--to", "otlp", "--mapping", "m.yaml", "-o", "m.yaml")
    assert answer.code == 2
    assert "m.yaml: is read, too" in answer.err


MUTATED = logs_in(LOGS)


@pytest.mark.parametrize("name", MUTATED)
@pytest.mark.parametrize("form", [*READ_BACK, "mermaid", "plantuml"])
def test_what_is_read_of_a_broken_log_is_written_or_refused(name: str, form: str) -> None:
    """And as many events are read again as were written: a text of an event may not be taken for
    anything else."""
    log = MUTATED[name]
    others = [each.content for each in MUTATED.values()]
    how = [] if log.parser is None else ["--parser", log.parser]
    how += [] if log.delimiter is None else ["--delimiter", log.delimiter]
    for seed in range(5):
        Path("broken.log").write_bytes(mutant(log.content, others, Random(f"{seed} {name}")))
        answer = choreomon("export", "broken.log", "--to", form, *how, "-o", "again")
        if answer.code:
            assert (answer.code, answer.out) == (2, "")
            assert "broken.log" in answer.err
        elif form in READ_BACK:
            before = exported_lines("broken.log", *how)
            assert before > 0
            assert exported_lines("again") == before


def exported_lines(log: str, *how: str) -> int:
    answer = choreomon("export", log, "--to", "jsonl", *how)
    assert answer.code == 0
    return len(answer.out.splitlines())
