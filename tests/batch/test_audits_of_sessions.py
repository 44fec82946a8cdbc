"""Audits of sessions in bulk: as each session alone, by however many processes."""

from __future__ import annotations

import json
from itertools import accumulate
from pathlib import Path
from random import Random

import pytest

from choreomon.audit.auditor import Auditor
from choreomon.audit.gaps import numbers_missing_from_all
from choreomon.audit.items import Gap
from choreomon.audit.kinds import kind_of
from choreomon.audit.numbers import SessionNumbers, WholeLog
from choreomon.audit.reading import side_by_side
from choreomon.audit.summary import MOST_DIAGNOSTICS, Summary
from choreomon.batch.audits import aside
from choreomon.batch.audits.audits import _in_order, audits
from choreomon.batch.audits.pieces import Piece, PieceStream, pieces_of
from choreomon.batch.audits.question import AuditQuestion
from choreomon.batch.audits.splitting import Split
from choreomon.cli.command_line.log_options import LogChoices, LogReading
from choreomon.core.errors import DocumentError
from choreomon.core.recorded import RecordedEvent
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.reports.audit_json import sessions_json
from tests.audit.cases import lost, random_automaton, recorded
from tests.audit.sessions_of_cases import sessions

MAPPING = """
format: jsonl
process: at
kind: kind
name: what
peer: peer
message_id: id
number: n
session: run
"""


@pytest.fixture
def reading(tmp_path: Path) -> LogReading:
    path = tmp_path / "mapping.yaml"
    path.write_text(MAPPING, encoding="utf-8")
    return LogChoices(mapping=str(path)).loaded()


def runs(seed: int) -> tuple[SequenceAutomaton, list[tuple[int, str]]]:
    """A property, and lines of many sessions mixed, each with the number of its log. One session
    has a message that is received twice, one line is no event."""
    rng = Random(f"runs {seed}")
    automaton = random_automaton(rng)
    left = []
    for number in range(rng.randint(5, 40)):
        events = recorded(rng, automaton, "ids")
        if rng.random() < 0.3:
            events = lost(rng, events, "ids")
        own = [(int(event.process[1:] or 0) % 2, line(event, f"s{number}")) for event in events
               if event.process != "X"]  # fmt: skip
        left.append(own)
    found = [(0, '{"no": "event"}')]
    while left := [own for own in left if own]:
        found.append(rng.choice(left).pop(0))
    return automaton, found


def line(event: RecordedEvent, session: str) -> str:
    told = {
        "run": session,
        "at": event.process,
        "kind": event.kind,
        "what": event.name,
        "peer": event.peer,
        "id": event.message_id,
        "n": event.number,
    }
    return json.dumps(told)


def logs(tmp_path: Path, lines: list[tuple[int, str]]) -> list[str]:
    paths = []
    for number in (0, 1):
        path = tmp_path / f"log{number}.jsonl"
        own = [text for log, text in lines if log == number]
        path.write_text("".join(f"{text}\n" for text in own), encoding="utf-8")
        paths.append(str(path))
    return [path for path in paths if Path(path).stat().st_size]


def told(summary: Summary) -> str:
    return sessions_json(summary.outcome(), (), summary.strange, summary.diagnostics())


def one_by_one(automaton: SequenceAutomaton, reading: LogReading, paths: list[str]) -> Summary:
    """Each session alone, by an auditor of its own."""
    events = [[*reading.read(path)] for path in paths]
    whole = WholeLog()
    sessions: dict[str, list[list[RecordedEvent]]] = {}
    ranks = {}
    for number, log in enumerate(events):
        for each in log:
            if isinstance(each, RecordedEvent):
                whole.add(each)
                own = sessions.setdefault(each.session, [[] for _ in paths])
                own[number].append(each)
                ranks.setdefault(each.session, (number, each.place.line))
    summary = Summary()
    for name, own in sessions.items():
        numbers = SessionNumbers(whole.found(), (each for log in own for each in log))
        assert not numbers.absent()
        auditor = Auditor(automaton, numbering=numbers)
        try:
            for what in side_by_side([iter(log) for log in own if log], auditor.waits):
                assert isinstance(what, RecordedEvent)
                auditor.add(what)
            summary.add(ranks[name], name, auditor.finish(whole.processes))
        except DocumentError as error:
            count = sum(map(len, own))
            summary.refuse(ranks[name], count, f"session {name}: {error}")
    return summary


def test_each_session_is_judged_as_it_is_alone(tmp_path: Path, reading: LogReading) -> None:
    """Whatever the pieces, and whichever sessions are in memory together."""
    verdicts = set()
    for seed in range(40):
        automaton, lines = runs(seed)
        paths = logs(tmp_path, lines)
        expected = one_by_one(automaton, reading, paths).outcome()
        for size in (200, 3_000, 1 << 20):
            question = AuditQuestion(automaton)
            found = audits(question, reading, paths, piece=size, part=size)
            outcome = found.outcome()
            assert outcome == expected
            assert found.strange["not-understood"] == 1
            verdicts |= outcome.verdicts.keys()
    assert verdicts == {None, "violated", "possibly-violated"}


def test_what_is_missing_from_all_sessions_is_missing_from_one_in_which_its_process_is_silent(
    tmp_path: Path, reading: LogReading
) -> None:
    """Of logs whose numbers go on through all sessions."""
    silent = 0
    for seed in range(40):
        found = sessions(seed, lossy=True)
        if found.says != "ids":
            continue
        lines = [(0, line(event, event.session)) for event in found.events]
        (path,) = logs(tmp_path, lines)
        events = [each for each in reading.read(path) if isinstance(each, RecordedEvent)]
        whole, expected = WholeLog(), Summary()
        for each in events:
            whole.add(each)
        for name in {each.session: 0 for each in events}:
            own = [each for each in events if each.session == name]
            numbers = SessionNumbers(whole.found(), own)
            auditor = Auditor(found.automaton, numbering=numbers)
            for process, missing in numbers.absent().items():
                auditor.lacks(Gap(process, numbers_missing_from_all(process, missing)))
                silent += 1
            for each in side_by_side([iter(own)], auditor.waits):
                assert isinstance(each, RecordedEvent)
                auditor.add(each)
            expected.add((0, own[0].place.line or 0), name, auditor.finish(whole.processes))
        question = AuditQuestion(found.automaton)
        assert audits(question, reading, [path]).outcome() == expected.outcome()
    assert silent > 5


@pytest.mark.parametrize("seed", [1, 2])
def test_it_does_not_matter_how_many_processes_there_are(
    tmp_path: Path, reading: LogReading, seed: int
) -> None:
    automaton, lines = runs(seed)
    question = AuditQuestion(automaton)
    paths = logs(tmp_path, lines)
    progress: list[tuple[str, int, int]] = []
    found = [
        told(
            audits(
                question,
                reading,
                paths,
                jobs=jobs,
                piece=500,
                part=500,
                progress=lambda *done: progress.append(done),
            )
        )
        for jobs in (1, 2, 3)
    ]
    assert found[0] == found[1] == found[2]
    assert len(json.loads(found[0])["kinds"]) > 0
    third = len(progress) // 3
    assert progress[:third] == progress[third : 2 * third] == progress[2 * third :]
    assert [done == of for _, done, of in progress[third - 1 : third]] == [True]


def test_a_planted_bug_is_found(
    tmp_path: Path, reading: LogReading, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sessions that are cut where a piece ends."""
    monkeypatch.setattr(aside, "AT_ONCE", 3)
    counts = iter(range(100_000))
    monkeypatch.setattr(aside, "part_of", lambda session, parts: next(counts) % parts)
    automaton, lines = runs(3)
    paths = logs(tmp_path, lines)
    found = audits(AuditQuestion(automaton), reading, paths, piece=200, part=200)
    assert found.outcome() != one_by_one(automaton, reading, paths).outcome()


def test_pieces_have_every_line_once(tmp_path: Path) -> None:
    rng = Random(5)
    path = tmp_path / "log.jsonl"
    for _ in range(200):
        lines = [b"x" * rng.randint(0, 9) for _ in range(rng.randint(0, 12))]
        content = b"\n".join(lines) + rng.choice([b"", b"\n"])
        path.write_bytes(content)
        size = rng.randint(1, 12)
        found = []
        numbers = 0
        for start in range(0, len(content), size):
            piece = Piece(0, str(path), start, min(start + size, len(content)), "jsonl")
            with path.open("rb") as file:
                stream = PieceStream(file, piece)
                text = stream.read()
            assert not text or text.endswith(b"\n") or content.endswith(text)
            numbers += stream.lines
            found.append(text)
        assert b"".join(found) == content
        assert numbers == content.count(b"\n")


def test_how_far_reading_is_is_told_in_bytes(tmp_path: Path, reading: LogReading) -> None:
    automaton, lines = runs(1)
    paths = logs(tmp_path, lines)
    sizes = [Path(path).stat().st_size for path in paths]
    calls: list[tuple[str, int, int]] = []
    question, note = AuditQuestion(automaton), lambda *call: calls.append(call)
    audits(question, reading, paths, progress=note, piece=400)
    done = [done for what, done, size in calls if (what, size) == ("reading", sum(sizes))]
    ends = [min(start + 400, size) - start for size in sizes for start in range(0, size, 400)]
    assert len(ends) > 4
    assert done == [*accumulate(ends)]


def test_a_session_with_too_many_events_is_not_judged(tmp_path: Path, reading: LogReading) -> None:
    lines = [(0, line(RecordedEvent("P1", "local", "x", None), name)) for name in "abbb"]  # type: ignore[arg-type]
    automaton, _ = runs(1)
    question = AuditQuestion(automaton, most=2)
    outcome = audits(question, reading, logs(tmp_path, lines)).outcome()
    assert (outcome.sessions, outcome.unjudged, outcome.events) == (2, 1, 4)
    assert outcome.problems == ("session b: 3 events are more than --max-events 2: not judged",)


def test_a_session_that_contradicts_itself_costs_the_others_nothing(
    tmp_path: Path, reading: LogReading
) -> None:
    event = RecordedEvent("P1", "local", "x", None, number=2)  # type: ignore[arg-type]
    good = [(0, line(event._replace(number=number), "good")) for number in (1, 2)]
    bad = [(0, line(event, "bad")), (0, line(event, "bad"))]
    automaton, _ = runs(1)
    found = audits(AuditQuestion(automaton), reading, logs(tmp_path, good + bad)).outcome()
    assert (found.sessions, found.unjudged) == (2, 1)
    assert found.problems[0].startswith("session bad: ")
    assert "log0.jsonl:4: x at P1 is number 2 of P1, after number 2" in found.problems[0]


def test_errors_name_the_line_of_the_log_and_not_of_a_piece(
    tmp_path: Path, reading: LogReading
) -> None:
    automaton, _ = runs(1)
    good = line(RecordedEvent("P1", "local", "x", None), "a")  # type: ignore[arg-type]
    path = tmp_path / "long.jsonl"
    path.write_text(f"{good}\n" * 300 + "y" * (17 << 20), encoding="utf-8")
    with pytest.raises(DocumentError, match=r"long.jsonl:301: is longer than"):
        audits(AuditQuestion(automaton), reading, [str(path)], piece=4_000)
    path.write_text(f"{good}\n" * 300 + "no json\n" * 100 + f"{good}\n", encoding="utf-8")
    found = audits(AuditQuestion(automaton), reading, [str(path)], piece=400)
    assert found.outcome().events == 301
    assert found.strange["not-understood"] == 100
    told = [each.place.line for each in found.diagnostics() if each.kind == "not-understood"]
    assert told == [*range(301, 401)]
    with pytest.raises(DocumentError, match="there is no such file"):
        audits(AuditQuestion(automaton), reading, [str(tmp_path / "nowhere")])


def test_what_is_strange_is_counted_also_where_it_is_not_shown_any_more(
    tmp_path: Path, reading: LogReading
) -> None:
    automaton, _ = runs(1)
    path = tmp_path / "strange.jsonl"
    good = line(RecordedEvent("P1", "local", "x", None), "a")  # type: ignore[arg-type]
    path.write_text(f"{good}\n" + "no json\n" * (MOST_DIAGNOSTICS + 1), encoding="utf-8")
    found = audits(AuditQuestion(automaton), reading, [str(path)])
    assert found.strange["not-understood"] == MOST_DIAGNOSTICS + 1
    assert len(found.diagnostics()) == MOST_DIAGNOSTICS


def test_a_piece_that_others_cannot_read_is_read_once_and_stays_in_its_place() -> None:
    pieces = [Piece(number, f"log{number}", here=number in (1, 2)) for number in range(4)]
    done: list[int] = []

    def work(numbered: tuple[int, Piece]) -> Split:
        number, piece = numbered
        done.append(number)
        return Split(piece, Path(), WholeLog(), lines=number)

    found = [each.lines for each in _in_order(work, pieces, map)]
    assert found == [0, 1, 2, 3]
    assert done == [1, 2, 0, 3]


def test_a_pipe_and_other_formats_are_read_in_one_piece(
    tmp_path: Path, reading: LogReading
) -> None:
    path = tmp_path / "spans.json"
    path.write_text('{"resourceSpans": []}', encoding="utf-8")
    otlp = LogReading(LogChoices())
    assert pieces_of(otlp, [str(path), "/dev/null"]) == [
        Piece(0, str(path), 0, path.stat().st_size),
        Piece(1, "/dev/null", here=True),
    ]


def test_kinds_are_those_of_the_verdicts(tmp_path: Path, reading: LogReading) -> None:
    """Counted by hand: verdicts, and sessions, by kind."""
    for seed in range(20):
        automaton, lines = runs(seed)
        paths = logs(tmp_path, lines)
        outcome = one_by_one(automaton, reading, paths).outcome()
        for example in outcome.kinds:
            assert kind_of(example.verdict) == example.kind
            assert example.names[0] == example.name
            assert 1 <= example.sessions <= example.verdicts
        some = outcome.sessions - outcome.verdicts.get(None, 0)
        assert max((each.sessions for each in outcome.kinds), default=0) <= some
        assert sum(each.sessions for each in outcome.kinds) >= some
