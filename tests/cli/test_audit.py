"""`choreomon audit`: exit codes, options, and what is printed."""

from __future__ import annotations

import bz2
import gzip
import itertools
import json
import lzma
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast
from xml.etree import ElementTree

import pytest

from choreomon.audit.auditor import Auditor
from choreomon.audit.reading import tell
from choreomon.cli.offline.audit import command
from choreomon.cli.offline.followed_logs import GrowingFile, in_background
from choreomon.core.errors import ChoreomonError
from choreomon.core.recorded import Diagnostic, Place, RecordedEvent
from choreomon.documents.read import load_document
from choreomon.logs.readers.reading import read_recorded
from tests.cli.command_line import ROOT, choreomon


def send(sender: str, name: str, receiver: str, **more: object) -> str:
    return line("send", sender, sender, name, receiver, **more)


def handle(sender: str, name: str, receiver: str, **more: object) -> str:
    return line("handle", receiver, sender, name, receiver, **more)


def line(event: str, process: str, sender: str, name: str, receiver: str, **more: object) -> str:
    message = {"sender": sender, "name": name, "receiver": receiver}
    return json.dumps({"event": event, "process": process, "message": message, **more}) + "\n"


A = send("P1", "a", "P2", id="1", number=1)
HANDLED = handle("P1", "a", "P2", id="1", number=1)
B = send("P2", "b", "P3", id="2", number=2)


def log(name: str, *lines: str) -> str:
    Path(name).write_text("".join(lines), encoding="utf-8")
    return name


def found(*arguments: str) -> tuple[int, dict[str, Any]]:
    answer = choreomon("audit", "property.yaml", *arguments, "--json")
    return answer.code, json.loads(answer.out)


def test_what_is_formed_in_every_order_is_violated() -> None:
    code, said = found(log("p2", HANDLED, B), log("p1", A))
    assert code == 1
    assert said["events"] == 3
    assert said["labelled"] == 2
    assert said["overall"]["verdict"] == "violated"
    (verdict,) = said["verdicts"]
    assert verdict["verdict"] == "violated"
    assert verdict["label"] == "P2 -> P3 : b"
    assert verdict["place"] == {"file": "p2", "line": 2}
    assert [event["place"]["file"] for event in verdict["order_for"]["events"]] == ["p1", "p2"]
    assert verdict["order_for"]["formed"] == [0, 1]
    assert "order_against" not in verdict


def test_what_is_formed_in_some_orders_is_possibly_violated() -> None:
    code, said = found(log("p1", A), log("p2", send("P2", "b", "P3", id="2")))
    assert code == 3
    (verdict,) = said["verdicts"]
    assert verdict["verdict"] == "possibly-violated"
    assert len(verdict["order_for"]["events"]) == 2
    assert [event["label"] for event in verdict["order_against"]["events"]] == ["P2 -> P3 : b"]
    assert said["undecided"] == 0


def test_what_is_formed_in_no_order_is_not_told() -> None:
    told = send("P2", "b", "P3", clock={"P2": 1})
    answer = handle("P2", "x", "P1", clock={"P2": 1, "P1": 1})
    later = send("P1", "a", "P2", clock={"P2": 1, "P1": 2})
    code, said = found(log("both", told, answer, later))
    assert (code, said["overall"], said["verdicts"]) == (0, {"verdict": None}, [])


def test_a_gap_is_named() -> None:
    later = send("P1", "x", "P2", id="7", number=2)
    code, said = found(log("p1", later), log("p2", HANDLED.replace('"id": "1"', '"id": "7"'), B))
    assert code == 3
    assert said["gaps"] == [
        {
            "process": "P1",
            "reason": "event 1 of P1 is not in its log",
            "before": {"file": "p1", "line": 1},
        }
    ]
    (verdict,) = said["verdicts"]
    assert verdict["gaps"] == [0]
    assert verdict["order_for"]["events"][0] == {"process": "P1", "label": "P1 -> P2 : a", "gap": 0}


def test_a_process_may_be_said_to_be_incomplete() -> None:
    events = log("p2", send("P1", "x", "P2", id="1"), HANDLED, B)
    assert found(events)[0] == 0
    code, said = found(events, "--incomplete", "P1")
    assert (code, said["verdicts"][0]["verdict"]) == (3, "possibly-violated")


def test_a_process_that_the_property_does_not_have_cannot_be_incomplete() -> None:
    answer = choreomon("audit", "property.yaml", log("p1", A), "--incomplete", "P11")
    assert answer.code == 2
    assert "'P11'; did you mean 'P1'?" in " ".join(answer.err.split())


def test_a_budget_that_does_not_suffice_is_said() -> None:
    lines = [send("P1", "a", "P2", id=f"a{number}") for number in range(4)]
    lines += [send("P2", "b", "P3", id=f"b{number}") for number in range(4)]
    code, said = found(log("both", *lines), "--budget", "3")
    assert code == 3
    assert said["undecided"] == len(said["verdicts"]) == 4
    assert said["verdicts"][0]["reason"] == "more than 3 consistent cuts to look at (--budget)"
    assert found("both")[1]["undecided"] == 0


def test_a_window_that_grows_too_large_is_said() -> None:
    lines = [send("P1", "a", "P2", id=f"a{number}") for number in range(40)]
    lines += [send("P2", "b", "P3", id=f"b{number}") for number in range(4)]
    code, said = found(log("both", *lines), "--max-window", "20")
    assert code == 3
    assert said["undecided"] == 4
    assert "(--max-window)" in said["verdicts"][0]["reason"]


def test_a_cycle_is_named_with_its_events() -> None:
    one = [handle("P2", "x", "P1", id="2"), send("P1", "a", "P2", id="1")]
    other = [handle("P1", "a", "P2", id="1"), send("P2", "x", "P1", id="2")]
    answer = choreomon("audit", "property.yaml", log("p1", *one), log("p2", *other))
    assert answer.code == 2
    assert "happened-before has a cycle" in answer.err
    assert "the reception of x at P1 (p1:1)" in answer.err
    assert "the reception of a at P2 (p2:1)" in answer.err


def test_a_cycle_of_clocks_is_named_too() -> None:
    one = send("P1", "a", "P2", clock={"P1": 1, "P2": 1})
    other = send("P2", "b", "P3", clock={"P1": 1, "P2": 1})
    answer = choreomon("audit", "property.yaml", log("p1", one), log("p2", other))
    assert answer.code == 2
    assert "the send of a at P1 (p1:1); the send of b at P2 (p2:1)" in answer.err


def test_numbers_that_do_not_grow_are_refused() -> None:
    answer = choreomon("audit", "property.yaml", log("p1", A, A))
    assert answer.code == 2
    assert answer.err.startswith("p1:2: the send of a at P1 is number 1 of P1, after number 1")


def test_strange_lines_are_told_and_counted() -> None:
    events = log("p2", A, HANDLED, "{}\n", "\n", "no json\n", B, B.replace("P2", "P9", 1))
    answer = choreomon("audit", "property.yaml", events)
    assert answer.code == 1
    assert "p2:3: it has no field `event`: give one; expected an event" in answer.out
    assert "p2:5: it is not JSON" in answer.out
    assert "3 not understood" in answer.out


def test_logs_without_any_event_are_bad_input() -> None:
    answer = choreomon("audit", "property.yaml", log("p1", "nothing\n"))
    assert answer.code == 2
    assert "p1: is like no log that is known" in answer.err


@pytest.mark.parametrize("document", ["application.yaml", "nowhere.yaml"])
def test_a_property_is_needed(document: str) -> None:
    assert choreomon("audit", document, log("p1", A)).code == 2


def test_a_log_that_is_not_there_is_bad_input() -> None:
    answer = choreomon("audit", "property.yaml", "nowhere.jsonl")
    assert answer.code == 2
    assert "nowhere.jsonl" in answer.err


def test_a_report_is_one_page() -> None:
    events = log("both", A, HANDLED, B)
    answer = choreomon("audit", "property.yaml", events, "--report", "page.html")
    assert answer.code == 1
    assert answer.out.splitlines()[-1] == "Report: page.html"
    page = Path("page.html").read_text(encoding="utf-8")
    assert "Violated at P2 \u2192 P3 : b" in page
    assert "<svg" in page


def test_a_report_does_not_overwrite_a_log() -> None:
    events = log("both", A)
    answer = choreomon("audit", "property.yaml", events, "--report", events)
    assert answer.code == 2
    assert Path(events).read_text(encoding="utf-8") == A


def test_a_log_that_grows_is_followed() -> None:
    """Until nobody wants to wait any more; what can be decided is decided meanwhile."""
    document = load_document("property.yaml")
    assert document.property is not None
    auditor = Auditor(document.property.automaton)
    path = Path(log("both", A, HANDLED))
    more = [B[:20], B[20:], send("P2", "x", "P1", id="3"), handle("P2", "x", "P1", id="3")]

    def wait() -> bool:
        if not more:
            return False
        with path.open("a", encoding="utf-8") as stream:
            stream.write(more.pop(0))
        return True

    strange: list[Diagnostic] = []
    with path.open("rb", buffering=0) as stream:
        growing = cast("BinaryIO", GrowingFile(stream, wait))
        events = read_recorded(growing, "events", file="both")
        tell(auditor, [events], strange.append, lambda: False)
    assert more == []
    assert strange == []
    assert auditor.finish().overall.kind == "violated"


def test_logs_that_grow_are_read_by_threads_of_their_own_until_they_are_stopped() -> None:
    events = [RecordedEvent("P1", "send", "a", Place("p1", number)) for number in range(30_000)]
    stop = threading.Event()
    found = [one for one in in_background(iter(events), stop) if one is not None]
    assert found == events
    endless = in_background(itertools.cycle(events), stop)
    assert next(one for one in endless if one is not None) == events[0]
    stop.set()

    def broken() -> Iterator[RecordedEvent]:
        yield events[0]
        raise ChoreomonError("unreadable")

    with pytest.raises(ChoreomonError, match="unreadable"):
        [*in_background(broken(), threading.Event())]


def test_a_page_shows_one_of_each_kind_of_violation_and_folds_the_others() -> None:
    log("many.jsonl", A, HANDLED, *(send("P2", "b", "P3", number=2 + n) for n in range(30)))
    assert choreomon("audit", "property.yaml", "many.jsonl", "--report", "page.html").code == 1
    page = Path("page.html").read_text(encoding="utf-8")
    assert page.count("<h3>Violated at") == 1
    assert "29 more like this" in page
    foot = page.partition("<footer>")[2]
    assert "choreomon audit property.yaml many.jsonl" in foot


def test_a_page_counts_the_gaps_that_it_does_not_name() -> None:
    log("holes.jsonl", *(send("P2", "b", "P3", number=2 * n) for n in range(1, 251)))
    choreomon("audit", "property.yaml", "holes.jsonl", "--report", "page.html")
    missing = Path("page.html").read_text(encoding="utf-8").partition(">What is missing<")[2]
    assert "<p>51 more gaps.</p>" in missing


def test_other_formats_are_read_and_a_mapping_is_explained() -> None:
    shiviz = "(?<host>\\S*) (?<clock>{.*})\\n(?<event>.*)\n\n"
    shiviz += (
        'P1 {"P1":1}\nsend a to P2\nP2 {"P1":1,"P2":1}\nget a\nP2 {"P1":1,"P2":2}\nsend b to P3\n'
    )
    Path("log.txt").write_text(shiviz, encoding="utf-8")
    Path("m.yaml").write_text(
        "events:\n"
        "  - match: {event: '^send (?<name>\\w+) to (?<peer>\\w+)'}\n"
        "    kind: {constant: send}\n"
        "  - match: {event: '^get (?<name>\\w+)'}\n"
        "    kind: {constant: handle}\n",
        encoding="utf-8",
    )
    answer = choreomon("audit", "property.yaml", "log.txt", "--mapping", "m.yaml")
    assert answer.code == 1
    assert "violated" in answer.out
    alone = choreomon("audit", "--explain-mapping", "log.txt")
    assert alone.code == 0
    assert "3 local events" in alone.out
    assert "say which are by --mapping FILE" in alone.out
    explained = choreomon("audit", "--explain-mapping", "--json", "log.txt")
    assert json.loads(explained.out)["logs"][0]["events"] == 3
    refused = choreomon("audit", "--explain-mapping", "--follow", "log.txt")
    assert refused.code == 2
    assert "without --explain-mapping" in refused.err


def test_every_option_is_on_the_page() -> None:
    page = ROOT.joinpath("docs", "audit.md").read_text(encoding="utf-8")
    options = [name for one in command.params for name in one.opts if name.startswith("--")]
    assert len(options) == 22
    assert [name for name in options if f"`{name}" not in page] == []


def test_a_page_answers_first_and_lists_its_evidence_with_file_and_line() -> None:
    Path("events.jsonl").write_text(A + HANDLED + B, encoding="utf-8")
    answer = choreomon("audit", "property.yaml", "events.jsonl", "--report", "page.html")
    assert answer.code == 1
    assert "Violated once: P2 -> P3 : b, at events.jsonl:3." in answer.out
    page = Path("page.html").read_text(encoding="utf-8")
    assert "<h1>Violated once: P2 → P3 : b, at events.jsonl:3.</h1>" in page
    assert 'id="summary"' not in page
    found = page.partition('<section id="what-was-found">')[2].partition("</section>")[0]
    steps = re.findall(r'<li value="(\d)">(.*?) <code>(.*?)</code>', found)
    assert [(step, where) for step, _, where in steps] == [
        ("1", "events.jsonl:1"),
        ("2", "events.jsonl:3"),
    ]
    assert "What the logs say there" in found
    assert "&quot;name&quot;: &quot;b&quot;" in found
    assert ">line</text>" in found  # below the axis


def test_a_gap_is_reported_once() -> None:
    Path("holes.jsonl").write_text(A + B.replace("2,", "4,"), encoding="utf-8")
    choreomon("audit", "property.yaml", "holes.jsonl", "--report", "page.html")
    page = Path("page.html").read_text(encoding="utf-8")
    missing = page.partition('<section id="what-is-missing">')[2].partition("</section>")[0]
    assert missing
    strange = page.partition('<section id="what-is-strange">')[2].partition("</section>")[0]
    assert "gap" not in strange
    assert "log-missing" not in strange


def test_logs_that_have_nothing_to_do_with_the_property_are_asked_about_first() -> None:
    other = send("A", "hello", "B", id="1", number=1)
    Path("other.jsonl").write_text(other, encoding="utf-8")
    answer = choreomon("audit", "property.yaml", "other.jsonl", "--report", "page.html")
    told = " ".join(answer.out.split())
    asked = "None of the 1 event is named by the property, and P1 and P2 have no log."
    assert asked in told
    assert told.index(asked) < told.index("Possibly violated")
    assert asked in Path("page.html").read_text(encoding="utf-8")


TYPO = """
property:
  sequences:
    - steps: ["P1 -> P2 : aa", "P2 -> P3 : b"]
"""
MEANT = (
    "Not exercised: P1 -> P2 : aa occurs nowhere in these logs; did you mean P1 -> P2 : a, which "
    "occurs once?"
)


def test_a_label_that_occurs_nowhere_is_told_last_and_is_an_error_if_asked_for() -> None:
    Path("typo.yaml").write_text(TYPO, encoding="utf-8")
    asked = ("audit", "typo.yaml", log("all.jsonl", A, HANDLED, B))
    answer = choreomon(*asked, "--report", "page.html")
    assert answer.code == 0
    told = " ".join(answer.out.split())
    counted = "1 of 3 events matters to this property. None of its 2 steps was made."
    assert f"in any possible order. {counted} {MEANT}" in told
    assert "Not exercised: P1 → P2 : aa" in Path("page.html").read_text(encoding="utf-8")
    strict = choreomon(*asked, "--strict", "--json")
    assert strict.code == 2
    assert json.loads(strict.out)["labels"] == [
        {
            "label": "P1 -> P2 : aa",
            "events": 0,
            "nearest": {"label": "P1 -> P2 : a", "events": 1},
        },
        {"label": "P2 -> P3 : b", "events": 1},
    ]


def test_strict_is_content_where_all_labels_occur() -> None:
    code, said = found(log("p2", HANDLED, B), log("p1", A), "--strict")
    assert code == 1
    assert [each["events"] for each in said["labels"]] == [1, 1]


def test_sessions_say_which_labels_occur_in_none() -> None:
    Path("typo.yaml").write_text(TYPO, encoding="utf-8")
    events = log("all.jsonl", *(send("P1", "a", "P2", session=one) for one in "xy"))
    asked = ("audit", "typo.yaml", events, "--session-key", "session")
    answer = choreomon(*asked)
    told = " ".join(answer.out.split())
    assert "did you mean P1 -> ? : a, which occurs 2 times?" in told
    assert "Not exercised, since it occurs nowhere in these logs: P2 -> P3 : b." in told
    said = json.loads(choreomon("audit", "property.yaml", *asked[2:], "--json").out)
    assert [(each["events"], each["sessions"]) for each in said["labels"]] == [(2, 2), (0, 0)]
    choreomon(*asked, "--report", "page.html")
    assert "What occurred" in Path("page.html").read_text(encoding="utf-8")
    assert choreomon(*asked, "--strict").code == 2
    choreomon(*asked, "--sarif", "s.json", "--junit", "j.xml")
    results = json.loads(Path("s.json").read_text(encoding="utf-8"))["runs"][0]["results"]
    assert [one["ruleId"] for one in results].count("not-exercised") == 2
    assert "labels that occur nowhere" in Path("j.xml").read_text(encoding="utf-8")


def test_nothing_that_was_not_looked_at_passes_in_a_build() -> None:
    Path("typo.yaml").write_text(TYPO, encoding="utf-8")
    events = log("all.jsonl", A, HANDLED, B)
    choreomon("audit", "typo.yaml", events, "--sarif", "s.json", "--junit", "j.xml")
    (result,) = json.loads(Path("s.json").read_text(encoding="utf-8"))["runs"][0]["results"]
    assert (result["ruleId"], result["kind"], result["level"]) == (
        "not-exercised",
        "review",
        "none",
    )
    assert result["message"]["text"] == MEANT
    (case,) = ElementTree.parse("j.xml").getroot()
    assert [(one.tag, one.get("message")) for one in case] == [("skipped", MEANT)]


def test_what_occurred_nowhere_is_where_the_first_rule_about_it_stands() -> None:
    second = "{id: two, never: 'P1 -> P2 : a', after: 'P2 -> P3 : b'}"
    rules = {
        "one.yaml": "rules:\n  - {id: one, never: 'P1 -> P2 : a'}\n",
        "two.yaml": f"name: two\nrules:\n  - {second}\n",
    }
    for name, text in rules.items():
        Path(name).write_text(text, encoding="utf-8")
    choreomon("audit", "--sarif", "s.json", *rules, "--", log("all.jsonl", send("P3", "c", "P1")))
    found = json.loads(Path("s.json").read_text(encoding="utf-8"))["runs"][0]["results"]
    places = {
        one["message"]["text"].partition(" occurs")[0]: one["locations"][0]["physicalLocation"]
        for one in found
        if one["ruleId"] == "not-exercised"
    }
    assert {
        label: (place["artifactLocation"]["uri"], place["region"]["startLine"])
        for label, place in places.items()
    } == {
        "Not exercised: P1 -> P2 : a": ("one.yaml", 2),
        "Not exercised: P2 -> P3 : b": ("two.yaml", 3),
    }


def test_a_page_says_what_its_one_rule_forbids_with_arrows() -> None:
    """In many sessions, too."""
    rule = "rules:\n  - {id: one, never: 'P1 -> P2 : a', after: 'P2 -> P3 : b'}\n"
    Path("one.yaml").write_text(rule, encoding="utf-8")
    events = log("all.jsonl", send("P1", "a", "P2", session="x"))
    for more in ((), ("--session-key", "session")):
        choreomon("audit", "one.yaml", events, *more, "--report", "page.html")
        header = Path("page.html").read_text(encoding="utf-8").partition("</header>")[0]
        said = header.partition("<body")[2]
        assert "P1 → P2 : a is forbidden after" in said
        assert "-&gt;" not in said


def test_a_folder_of_compressed_logs_is_read(tmp_path: Path) -> None:
    folder = Path("logs/deep")
    folder.mkdir(parents=True)
    Path("logs/p1.jsonl.gz").write_bytes(gzip.compress(A.encode()))
    (folder / "p2").write_bytes(lzma.compress((HANDLED + B).encode()))
    Path("logs/README.md").write_text("nothing here", encoding="utf-8")
    answer = choreomon("audit", "property.yaml", "logs", "--report", "page.html")
    assert answer.code == 1
    assert "violated at P2 -> P3 : b" in answer.out
    assert "logs/README.md: is left out, since it does not begin like a log" in answer.err
    page = Path("page.html").read_text(encoding="utf-8")
    assert "logs/deep/p2:2" in page
    assert "&quot;number&quot;: 2" in page  # the line of the log
    plain = choreomon("audit", "property.yaml", log("p1", A), log("p2", HANDLED, B), "--json")
    packed = choreomon("audit", "property.yaml", "logs", "--json")
    said, plainly = json.loads(packed.out), json.loads(plain.out)
    assert said["labels"] == plainly["labels"]
    assert said["overall"]["verdict"] == plainly["overall"]["verdict"] == "violated"


def test_sessions_of_compressed_logs_are_those_of_plain_ones() -> None:
    lines = "".join(
        json.dumps(
            {
                "process": one,
                "event": "send",
                "message": {"sender": one, "name": name, "receiver": to},
                "s": s,
            }
        )
        + "\n"
        for s in "xyz"
        for one, name, to in (("P1", "a", "P2"), ("P2", "b", "P3"))
    )
    Path("plain.jsonl").write_text(lines, encoding="utf-8")
    Path("packed").write_bytes(bz2.compress(lines.encode()))
    told = []
    for file, jobs in (("plain.jsonl", "1"), ("packed", "1"), ("packed", "2")):
        asked = ("audit", "property.yaml", file, "--session-key", "s", "--json", "--jobs", jobs)
        answer = choreomon(*asked)
        told.append(answer.out.replace("plain.jsonl", "packed"))
    assert json.loads(told[0])["sessions"]["count"] == 3
    assert told[0] == told[1] == told[2]


def test_a_folder_without_logs_and_damaged_ones_are_refused_with_the_fix() -> None:
    Path("logs").mkdir()
    answer = choreomon("audit", "property.yaml", "logs")
    assert answer.code == 2
    assert "logs: has no log in it: name files, or say what they are" in answer.err
    packed = gzip.compress((A * 200).encode())
    Path("logs/cut.gz").write_bytes(packed[:-9])
    answer = choreomon("audit", "property.yaml", "logs")
    assert answer.code == 2
    assert "logs/cut.gz: cannot be read: its gzip data are cut off" in answer.err


def test_what_is_compressed_cannot_be_followed() -> None:
    Path("p1.gz").write_bytes(gzip.compress(A.encode()))
    answer = choreomon("audit", "property.yaml", "p1.gz", "--follow")
    assert answer.code == 2
    assert "p1.gz: is compressed (gzip), and is not read as a file: unpack it first" in answer.err


def test_lines_that_are_nearly_in_order_are_mended_and_counted() -> None:
    quiet = send("P1", "z", "P2", id="9", number=2)
    events = log("p1", quiet, A)
    whole = choreomon("audit", "property.yaml", log("good", A, quiet), log("p2", HANDLED, B))
    answer = choreomon("audit", "property.yaml", events, log("p2", HANDLED, B))
    assert answer.code == whole.code == 1
    assert "p1:2: number 1 of P1 is written after number 2: it is read before it" in answer.out
    assert "1 out of order" in answer.out
    strict = choreomon("audit", "property.yaml", events, "p2", "--strict")
    assert strict.code == 2
    assert strict.err.startswith("p1:2: the send of a at P1 is number 1 of P1, after number 2")
