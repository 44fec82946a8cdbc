"""Findings as SARIF, validated against the published schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from choreomon.core.recorded import Place
from choreomon.core.stated_rule import StatedRule
from choreomon.reports.sarif import RULES, Finding, Step, Thread, sarif_text

SCHEMA = json.loads(
    (Path(__file__).parents[1] / "data" / "sarif" / "sarif-2.1.0.schema.json").read_text()
)
FOUND = Finding(
    "sequence-formed",
    "violated: a -> b : m",
    Place("folder with space/p.yaml", 7),
    ("a -> b : m",),
    (
        Thread("a", (Step(1, "sends m", Place("run-0.jsonl", 3)), Step(4, "sends n"))),
        Thread("b", (Step(2, "handles m"),)),
    ),
    (Place("run-0.jsonl", 0),),
)


def sarif(*findings: Finding, problems: tuple[str, ...] = ()) -> Any:
    text = sarif_text(findings, version="0.1.0", problems=problems)
    found = json.loads(text)
    jsonschema.Draft7Validator(SCHEMA).validate(found)
    return found["runs"][0]


def test_a_finding_has_its_rule_its_line_and_a_thread_for_each_process() -> None:
    run = sarif(FOUND)
    (result,) = run["results"]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    assert (result["level"], result["kind"]) == ("error", "fail")
    assert result["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "folder%20with%20space/p.yaml"},
        "region": {"startLine": 7},
    }
    (flow,) = result["codeFlows"]
    assert [thread["id"] for thread in flow["threadFlows"]] == ["a", "b"]
    first = flow["threadFlows"][0]["locations"][0]
    assert first["executionOrder"] == 1
    assert first["location"]["physicalLocation"]["region"] == {"startLine": 3}
    related = result["relatedLocations"][0]["physicalLocation"]
    assert related == {"artifactLocation": {"uri": "run-0.jsonl"}}


def test_a_rule_of_an_author_may_be_called_like_one_of_ours() -> None:
    stated = StatedRule("sequence-formed", "said by an author", "warning", line=3)
    run = sarif(FOUND, FOUND._replace(stated=stated))
    rules = run["tool"]["driver"]["rules"]
    ours, theirs = (rules[one["ruleIndex"]] for one in run["results"])
    assert ours["id"] == theirs["id"]
    assert theirs["shortDescription"]["text"] == "said by an author"
    assert ours != theirs


def test_a_rule_for_several_values_is_described_by_none_of_them() -> None:
    one, other = (
        StatedRule("idle", f"No work for {w}.", where=(("w", w),), line=3) for w in ("w-1", "w-2")
    )
    run = sarif(FOUND._replace(stated=one), FOUND._replace(stated=other))
    *_, described = run["tool"]["driver"]["rules"]
    assert (described["id"], described["shortDescription"]["text"]) == ("idle", "idle")
    assert {each["ruleIndex"] for each in run["results"]} == {
        len(run["tool"]["driver"]["rules"]) - 1
    }


def test_a_finding_is_the_same_one_whatever_run_it_is_of() -> None:
    other = FOUND._replace(message="in another run", threads=())
    one, two, three = sarif(FOUND, other, FOUND._replace(same=("else",)))["results"]
    assert one["partialFingerprints"] == two["partialFingerprints"]
    assert one["partialFingerprints"] != three["partialFingerprints"]


def test_what_could_not_be_read_is_a_notification() -> None:
    run = sarif(problems=("a.htf:3: is nothing",))
    assert run["results"] == []
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    assert invocation["toolExecutionNotifications"][0]["message"]["text"] == "a.htf:3: is nothing"
    assert sarif()["invocations"][0]["executionSuccessful"] is True


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_is_valid(rule: Any) -> None:
    (result,) = sarif(FOUND._replace(rule=rule))["results"]
    assert result["ruleId"] == rule
    assert result["level"] == "none" or result["kind"] == "fail"


def test_the_schema_notices_what_is_no_sarif() -> None:
    found = json.loads(sarif_text([FOUND], version="0.1.0"))
    found["runs"][0]["results"][0]["level"] = "bad"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft7Validator(SCHEMA).validate(found)
