"""`--sarif` and `--junit` of commands, on real runs and logs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from tests.cli.command_line import POSSIBLE, SCENARIOS, VIOLATED, choreomon
from tests.reports.test_sarif import SCHEMA


def sarif(file: str = "s.json") -> Any:
    found = json.loads(Path(file).read_text(encoding="utf-8"))
    jsonschema.Draft7Validator(SCHEMA).validate(found)
    return found["runs"][0]


def test_a_violated_run_is_a_result_at_the_property_with_the_sequence() -> None:
    Path("v.yaml").write_text(VIOLATED, encoding="utf-8")
    line = VIOLATED.splitlines().index("property:") + 1
    answer = choreomon("simulate", "v.yaml", "--sarif", "s.json", "--junit", "j.xml")
    assert answer.code == 1
    (result,) = sarif()["results"]
    assert (result["ruleId"], result["level"]) == ("sequence-formed", "error")
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("v.yaml", line)
    threads = result["codeFlows"][0]["threadFlows"]
    assert [thread["id"] for thread in threads] == ["P1", "P2"]
    texts = [
        one["location"]["message"]["text"] for thread in threads for one in thread["locations"]
    ]
    assert [text.partition(",")[0] for text in texts] == ["P1 -> P2 : a", "P2 -> P3 : b"]
    (case,) = ElementTree.parse("j.xml").getroot()
    assert case.attrib == {"classname": "v.yaml", "name": "seed 0"}
    assert case[0].tag == "failure"
    assert case[0].attrib["message"].startswith("violated at P2 -> P3 : b (event ")


def test_runs_are_told_apart_and_findings_are_not() -> None:
    Path("p.yaml").write_text(POSSIBLE, encoding="utf-8")
    asked = ("simulate", "p.yaml", "--runs", 8, "--rules", "sound", "--json")
    alone = choreomon(*asked)
    answer = choreomon(*asked, "--sarif", "s.json", "--junit", "j.xml")
    assert (answer.code, answer.out) == (alone.code, alone.out)
    results = sarif()["results"]
    assert {result["ruleId"] for result in results} <= {
        "sequence-formed",
        "sequence-possibly-formed",
    }
    assert len({result["partialFingerprints"]["choreomon/v1"] for result in results}) <= 2
    runs = json.loads(answer.out)["runs"]
    tags = [[child.tag for child in case] for case in ElementTree.parse("j.xml").getroot()]
    words = [{verdict["verdict"] for verdict in run["verdicts"]} for run in runs]
    assert tags == [
        ["failure"] if "violated" in said else ["skipped"] if said else [] for said in words
    ]


def test_logs_that_do_not_fit_are_a_result_with_how_far_each_is_explained() -> None:
    choreomon("example", "lock")
    Path("good.htf").write_text("{ }", encoding="utf-8")
    Path("bad.htf").write_text("{ [store] store!never }", encoding="utf-8")
    Path("none.htf").write_text("{ [store", encoding="utf-8")
    asked = ("verify", "-i", "lock.hif", "good.htf", "bad.htf", "none.htf")
    alone = choreomon(*asked)
    answer = choreomon(*asked, "--sarif", "s.json")
    assert answer.code == alone.code == 2
    assert "Explained" not in answer.out
    run = sarif()
    (result,) = run["results"]
    assert result["ruleId"] == "logs-do-not-fit"
    assert "bad.htf, mode multiprefix: Fail" in result["message"]["text"]
    assert "LocalError of store" in result["message"]["text"]
    (thread,) = result["codeFlows"][0]["threadFlows"]
    assert (
        "store!never is not; possible there: "
        in thread["locations"][0]["location"]["message"]["text"]
    )
    told = run["invocations"][0]["toolExecutionNotifications"]
    assert told[0]["message"]["text"].startswith("none.htf:1")


def test_an_audit_is_a_case_and_its_verdicts_are_results_at_lines_of_the_logs() -> None:
    Path("v.yaml").write_text(VIOLATED, encoding="utf-8")
    assert choreomon("simulate", "v.yaml", "--trace", "t").code == 1
    answer = choreomon("audit", "v.yaml", "t/run-0.jsonl", "--sarif", "s.json", "--junit", "j.xml")
    (result,) = sarif()["results"]
    (case,) = ElementTree.parse("j.xml").getroot()
    assert answer.code == (1 if result["ruleId"] == "sequence-formed" else 3)
    assert case[0].tag == ("failure" if answer.code == 1 else "skipped")
    assert case.attrib == {"classname": "v.yaml", "name": "t/run-0.jsonl"}
    threads = result["codeFlows"][0]["threadFlows"]
    steps = [(thread["id"], one["location"]) for thread in threads for one in thread["locations"]]
    assert [(process, step["message"]["text"]) for process, step in steps] == [
        ("P1", "P1 -> P2 : a"),
        ("P2", "P2 -> P3 : b"),
    ]
    places = [step["physicalLocation"] for _, step in steps]
    assert {place["artifactLocation"]["uri"] for place in places} == {"t/run-0.jsonl"}
    lines = Path("t/run-0.jsonl").read_text(encoding="ascii").splitlines()
    for (process, _), place in zip(steps, places, strict=True):
        assert json.loads(lines[place["region"]["startLine"] - 1])["process"] == process


@pytest.mark.parametrize("option", ["--sarif", "--junit"])
def test_what_is_read_is_not_written(option: str) -> None:
    scenario = Path("v.yaml")
    scenario.write_text(VIOLATED, encoding="utf-8")
    answer = choreomon("simulate", scenario, option, scenario)
    assert answer.code == 2
    assert "v.yaml: is read, too: write another file" in answer.err
    assert scenario.read_text(encoding="utf-8") == VIOLATED
    Path("file").touch()
    answer = choreomon("simulate", SCENARIOS / "lock-conforming.yaml", option, "file/such")
    assert answer.code == 2
