"""`choreomon check`: what it says of good documents and of bad ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from choreomon.files.source_positions import read_positioned
from tests.cli.command_line import SCENARIOS, VIOLATED, choreomon


def test_a_valid_document_is_explained() -> None:
    answer = choreomon("check", "violated.yaml")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.splitlines()[0] == "violated.yaml: violated is valid"
    assert "application: 3 processes, 4 handlers, 2 start messages" in answer.out
    assert "1. P1 -> P2 : a, then P2 -> P3 : b" in answer.out


def test_steps_are_shown_and_states_where_somebody_asks() -> None:
    scenario = SCENARIOS / "fig1-violating.yaml"
    plain = choreomon("check", scenario)
    assert "│        1 │    2 │ P1 -> P3 : m1 │ P1         │" in plain.out
    assert "P2 -> P3 : m2 after step 2 of sequence 1 takes back step 2" in plain.out
    assert "q1" not in plain.out
    verbose = choreomon("check", scenario, "--verbose")
    assert "after step 2 of sequence 1 (q2 -> q1) takes back step 2" in verbose.out
    assert "│ backward │ q2" in verbose.out
    automaton = choreomon("check", SCENARIOS / "fig4-violating.yaml")
    assert "P2 -> P3 : m5 in q2 takes back P1 -> P3 : m1, P2 -> P3 : m3" in automaton.out


def test_of_each_rule_is_shown_what_its_author_says_and_what_its_pattern_comes_to() -> None:
    answer = choreomon("check", SCENARIOS / "lock-violating.yaml")
    assert "No write of Ann reaches the store" in answer.out
    assert (
        "ann-writes-with-the-lock: handle ann -> store : write is forbidden after the first lock "
        "-> ben : granted until lock -> ann : granted.\n"
        "  lock -> ben : granted, then handle ann -> store : write\n"
        "  lock -> ann : granted takes back lock -> ben : granted\n"
    ) in answer.out


def test_of_a_rule_with_many_sequences_a_few_are_listed() -> None:
    Path("many.yaml").write_text(
        "rules:\n"
        "  - {id: many, never: 'hub -> {a, b, c, d, e} : x', after: 'hub -> a : y', "
        "until: '{a, b, c, d, e} -> hub : z'}\n",
        encoding="utf-8",
    )
    plain, verbose = (choreomon("check", "many.yaml", *more).out for more in ((), ("--verbose",)))
    assert plain.count("hub -> a : y, then hub ->") == 3
    assert "  and further ones, which are not listed\n" in plain
    assert "  and 2 further cancellations\n" in plain
    assert verbose.count("hub -> a : y, then hub ->") == 5


def test_verbose_is_about_properties() -> None:
    assert (
        "--verbose says nothing with --json"
        in choreomon("check", "violated.yaml", "--verbose", "--json").err
    )
    Path("i.hif").write_text("a -- m -> b", encoding="utf-8")
    answer = choreomon("check", "i.hif", "--verbose")
    assert answer.code == 2
    assert "--verbose is about properties: i.hif holds an interaction" in answer.err


def test_one_of_a_kind_is_not_counted_in_the_plural() -> None:
    answer = choreomon("check", "endless.yaml")
    assert "application: 1 process, 1 handler, 1 start message\n" in answer.out


def test_tables_are_those_of_all_monitors_and_none_is_empty() -> None:
    plain = choreomon("check", "violated.yaml")
    tables = choreomon("check", "violated.yaml", "--tables")
    assert "Transition table" not in plain.out
    assert "Transition table of P1" in tables.out
    assert "│ (q1, P2 -> P3 : b, q2) │ ⊤     │ (q0, @P1, q1)  │ ∅              │" in tables.out
    assert "P3 watches nothing: its table is empty" in tables.out
    assert "Transition table of P3" not in tables.out


def test_json_is_the_document_in_short_and_nothing_else() -> None:
    answer = choreomon("check", "violated.yaml", "--json")
    said = json.loads(answer.out)
    assert (answer.code, answer.err) == (0, "")
    assert said["processes"] == ["P1", "P2", "P3"]
    assert said["property"]["transitions"][0] == {
        "from": "q0",
        "to": "q1",
        "on": "P1 -> P2 : a",
        "backward": False,
        "monitor": "P1",
    }
    assert "tables" not in said


def test_json_has_tables_where_asked_for() -> None:
    said = json.loads(choreomon("check", "violated.yaml", "--json", "--tables").out)
    assert said["tables"]["P2"] == [
        {
            "transition": ["q1", "P2", "q2"],
            "on": "P2 -> P3 : b",
            "final": True,
            "pre": ["q0", "P1", "q1"],
            "vio": [],
        }
    ]
    assert said["tables"]["P3"] == []


def test_tables_in_json_follow_the_rules_of_the_document() -> None:
    """Those of the paper leave out what may have cancelled before a cancellation."""
    figure = SCENARIOS / "fig1-violating.yaml"
    document = read_positioned(figure.read_bytes(), "fig1.yaml", as_json=False).value
    assert isinstance(document, dict)
    document["property"]["rules"] = "paper"
    Path("paper.json").write_text(json.dumps(document), encoding="utf-8")
    sound_tables, paper_tables = (
        json.loads(choreomon("check", file, "--json", "--tables").out)["tables"]
        for file in (figure, "paper.json")
    )
    back = ["q2", "P2", "q1"]
    assert [r["vio"] for r in sound_tables["P2"] if r["transition"] == back] == [[back]]
    assert [r["vio"] for r in paper_tables["P2"] if r["transition"] == back] == [[]]


def test_a_property_alone_and_an_application_alone_are_documents() -> None:
    assert choreomon("check", "property.yaml").code == 0
    answer = choreomon("check", "application.yaml", "--tables")
    assert answer.code == 0
    assert "no property: nothing would be monitored" in answer.out
    assert "property" not in json.loads(choreomon("check", "application.yaml", "--json").out)


def test_a_warning_goes_to_the_errors_on_one_line_and_changes_no_exit_code() -> None:
    """Nobody sends it: a mistake perhaps, and no error."""
    text = VIOLATED.replace("handlers: {b: []}", "handlers: {b: [], c: []}").replace(
        '"P2 -> P3 : b"]', '"P2 -> P3 : b", "P1 -> P3 : c"]'
    )
    Path("warned.yaml").write_text(text, encoding="utf-8")
    answer = choreomon("check", "warned.yaml")
    (line,) = answer.err.splitlines()
    assert answer.code == 0
    assert line.startswith("warning: warned.yaml:")
    assert "P1 -> P3 : c" in line
    (warning,) = json.loads(choreomon("check", "warned.yaml", "--json").out)["warnings"]
    assert warning["line"] > 0
    assert warning["field"].startswith("property.sequences[0]")


BROKEN = {
    "empty": "",
    "no mapping": "- a\n- b\n",
    "no document": "name: only\n",
    "no yaml": "a: [1,\n",
    "unknown key": VIOLATED.replace("handlers: {b: []}", "handels: {b: []}"),
    "unknown receiver": VIOLATED.replace("{to: P3, message: b}", "{to: P9, message: b}"),
    "no handler": VIOLATED.replace("{to: P3, message: b}", "{to: P3, message: x}"),
    "no label": VIOLATED.replace('"P1 -> P2 : a"', '"P1 => P2 : a"'),
    "duplicate process": VIOLATED.replace("id: P3", "id: P1"),
    "wrong type": VIOLATED.replace("at: 500", "at: soon"),
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize(
    "command", [["check"], ["simulate"], ["draw", "-o", "x.svg"]], ids=lambda c: c[0]
)
def test_a_broken_document_is_exit_code_2_with_file_and_line(command: list[str], text: str) -> None:
    Path("broken.yaml").write_text(text, encoding="utf-8")
    answer = choreomon(*command, "broken.yaml")
    assert (answer.code, answer.out) == (2, "")
    assert all(line.startswith("broken.yaml") for line in answer.err.splitlines())
    assert "Traceback" not in answer.err
    assert not Path("x.svg").exists()


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("nowhere.yaml", "there is no such file"),
        (".", "is a directory"),
        ("empty.yaml/x", "cannot be read: Not a directory"),
    ],
)
def test_a_file_that_cannot_be_read_is_exit_code_2(file: str, said: str) -> None:
    answer = choreomon("check", file)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err


def test_an_interaction_is_said_to_be_there() -> None:
    answer = choreomon("check", SCENARIOS / "lock-conforming.yaml")
    assert f"interaction: 29 symbols from {SCENARIOS / 'lock.hif'}" in answer.out
    assert "interaction" not in choreomon("check", SCENARIOS / "fig1-conforming.yaml").out


LOCK = SCENARIOS / "lock-violating.yaml"


def test_what_a_protocol_forbids_as_well_is_impossible() -> None:
    answer = choreomon("check", LOCK, "--against", SCENARIOS / "lock.hif")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.splitlines()[1:] == [
        "  ann-writes-with-the-lock: impossible (46 states looked at)",
        "  ben-writes-with-the-lock: impossible (46 states looked at)",
    ]


def test_what_an_application_allows_is_told_with_a_run_and_drawn(tmp_path: Path) -> None:
    for name in ("run.svg", "run.mmd", "run.puml"):
        answer = choreomon("check", LOCK, "--against", LOCK, "--picture", tmp_path / name)
        assert (answer.code, answer.err) == (1, "")
        assert "  ben-writes-with-the-lock: possible (147 states looked at), by" in answer.out
        assert "    11. handle ben -> store : write" in answer.out
        assert "write" in (tmp_path / name).read_text(encoding="utf-8")


def test_where_a_bound_ends_the_search_that_is_said() -> None:
    answer = choreomon("check", LOCK, "--against", SCENARIOS / "lock.hif", "--states", 5, "--json")
    assert answer.code == 3
    found = json.loads(answer.out)
    assert found["sequences"] == [
        {"rule": f"{name}-writes-with-the-lock", "answer": "unknown", "states": 5, "run": []}
        for name in ("ann", "ben")
    ]
    told = choreomon("check", LOCK, "--against", SCENARIOS / "lock.hif", "--states", 5).out
    assert "unknown (5 states looked at, and there are more" in told
    assert "impossible" not in told


def test_what_every_run_of_a_protocol_does_is_warned_of_and_strictly_an_error() -> None:
    Path("shop.hif").write_text("seq(bank -- paid -> shop, shop -- ship -> carrier)")
    Path("rules.yaml").write_text(
        "rules:\n"
        '  - {id: paid-first, never: "shop -> carrier : ship", unless: "bank -> shop : paid"}\n'
        '  - {id: keep-it, never: "shop -> carrier : ship", after: "bank -> shop : paid"}\n',
        encoding="utf-8",
    )
    answer = choreomon("check", "rules.yaml", "--against", "shop.hif")
    assert answer.code == 1
    assert answer.err == (
        "warning: rules.yaml:3: keep-it forbids what every run of shop.hif does that comes to an "
        "end: who follows it cannot keep this\n"
    )
    found = json.loads(choreomon("check", "rules.yaml", "--against", "shop.hif", "--json").out)
    assert [each.get("unavoidable") for each in found["sequences"]] == [None, True]
    assert choreomon("check", "rules.yaml", "--against", "shop.hif", "--strict").code == 2
    Path("shop.hif").write_text("alt(shop -- ship -> carrier, o)")
    assert "every run" not in choreomon("check", "rules.yaml", "--against", "shop.hif").err


def test_rules_of_several_files_are_held_against_a_protocol() -> None:
    Path("more.yaml").write_text("rules: [{id: more, never: 'ann -> b : c'}]", encoding="utf-8")
    answer = choreomon("check", LOCK, "more.yaml", "--against", SCENARIOS / "lock.hif")
    assert answer.code == 0
    assert "more.yaml:1: ann -> b : c never happens in" in answer.err
    assert "  more: impossible (0 states looked at)\n" in answer.out


def test_labels_that_a_protocol_does_not_have_are_named(tmp_path: Path) -> None:
    protocol = tmp_path / "typo.hif"
    text = (SCENARIOS / "lock.hif").read_text(encoding="utf-8")
    protocol.write_text(text.replace("-- granted ->", "-- grantd ->"), encoding="utf-8")
    answer = choreomon("check", LOCK, "--against", protocol)
    assert answer.code == 0
    assert "lock -> ben : granted never happens in" in answer.err
    assert "did you mean 'lock -> ben : grantd'?" in answer.err
    assert "impossible (0 states looked at)" in answer.out


def test_an_automaton_is_a_protocol_too_but_does_not_know_to_whom_a_message_goes(
    tmp_path: Path,
) -> None:
    protocol = tmp_path / "lock.json"
    made = choreomon("synthesize", SCENARIOS / "lock.hif", "-o", protocol)
    assert made.code == 0
    answer = choreomon("check", LOCK, "--against", protocol)
    assert (answer.code, answer.err) == (1, "")
    assert "ann-writes-with-the-lock: possible" in answer.out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--states", 5), "--states is for --against"),
        (("--picture", "run.svg"), "--picture is for --against"),
        (("--against", SCENARIOS / "lock.hif", "--tables"), "--tables and --verbose say nothing"),
        (
            ("--against", SCENARIOS / "lock.hif", "--locations", "x"),
            "--locations is about automata",
        ),
        (("--against", SCENARIOS / "lock.hif", "--picture", "run.gif"), "--picture wants one of"),
        (("--against", "nowhere.hif"), "nowhere.hif"),
        (("--against", "nowhere.htf"), "holds a multi-trace"),
    ],
)
def test_what_against_does_not_understand_is_refused(
    arguments: tuple[object, ...], told: str
) -> None:
    answer = choreomon("check", LOCK, *arguments)
    assert answer.code == 2
    assert told in answer.err.replace("\n", " ")


def test_against_wants_the_property_first_and_a_protocol_then(tmp_path: Path) -> None:
    answer = choreomon("check", SCENARIOS / "lock.hif", "--against", LOCK)
    assert answer.code == 2
    assert "the property comes first" in answer.err
    alone = tmp_path / "property.yaml"
    alone.write_text('property: {sequences: [{steps: ["a -> b : m"]}]}\n', encoding="utf-8")
    answer = choreomon("check", alone, "--against", alone)
    assert answer.code == 2
    assert "has no application" in answer.err


def test_instances_are_taken_for_one(tmp_path: Path) -> None:
    document = tmp_path / "instances.yaml"
    document.write_text(
        "property:\n  for_each: [order]\n"
        '  sequences: [{steps: ["lock -> ann : granted(order)", "ann -> store : write(order)"]}]\n',
        encoding="utf-8",
    )
    answer = choreomon("check", document, "--against", SCENARIOS / "lock.hif")
    assert answer.code == 1
    assert "for_each is left out: all messages are taken to be of one instance" in answer.out


@pytest.mark.parametrize("suffix", [".svg", ".mmd", ".puml"])
def test_runs_with_ends_that_are_not_drawn_have_pictures(tmp_path: Path, suffix: str) -> None:
    document = tmp_path / "property.yaml"
    document.write_text(
        'property: {sequences: [{steps: ["handle x -> a : go", "a -> y : m"]}]}\n',
        encoding="utf-8",
    )
    protocol = tmp_path / "protocol.hif"
    protocol.write_text("seq(go -> a, a -- n ->|, a -- m ->|)", encoding="utf-8")
    picture = tmp_path / f"run{suffix}"
    answer = choreomon("check", document, "--against", protocol, "--picture", picture)
    assert (answer.code, answer.err) == (1, "")
    assert answer.out.endswith("1. handle x -> a : go\n    2. a -> env : n\n    3. a -> y : m\n")
    assert "outside" in picture.read_text(encoding="utf-8")
