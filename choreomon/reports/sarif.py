"""Findings as SARIF 2.1.0, which code hosts show beside the line that they are about.

Rule ids are stable: whoever silences one goes on doing so. A result's location is the property or
the interaction that does not hold, with its line; the witness is a code flow, with a thread flow
for each process, whose places are in the log where it has lines. Results have a fingerprint of what
is the same when the run is another one, so that code hosts do not show a finding twice.

What could not be read is no result but a notification of the tool.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any, Final, Literal, NamedTuple, TypeAlias
from urllib.parse import quote

from choreomon.core.recorded import Place
from choreomon.core.stated_rule import StatedRule

RuleId: TypeAlias = Literal[
    "sequence-formed",
    "sequence-possibly-formed",
    "logs-do-not-fit",
    "logs-not-decided",
    "not-exercised",
]


class _Rule(NamedTuple):
    level: str
    kind: str
    text: str


RULES: Final[dict[RuleId, _Rule]] = {
    "sequence-formed": _Rule(
        "error",
        "fail",
        "A forbidden message sequence was formed, in every possible order of the events.",
    ),
    "sequence-possibly-formed": _Rule(
        "warning",
        "fail",
        "A forbidden message sequence was formed in some of the orders in which things may have "
        "happened.",
    ),
    "logs-do-not-fit": _Rule("error", "fail", "Nothing that is allowed explains these logs."),
    "logs-not-decided": _Rule(
        "none", "open", "It is not known whether anything that is allowed explains these logs."
    ),
    "not-exercised": _Rule(
        "none", "review", "A label of the property occurs nowhere in these logs."
    ),
}
"""Rules: what is found, how grave it is, and whether it fails. SARIF 3.27.9: a kind that is no
`fail` has the level `none`."""

VERSION: Final = "2.1.0"


class Step(NamedTuple):
    """An event of a witness, `number`ed through in the order of the witness."""

    number: int
    text: str
    place: Place | None = None


class Thread(NamedTuple):
    """Steps of one process, in its order."""

    process: str
    steps: tuple[Step, ...]


class Finding(NamedTuple):
    """A result. `same` are words that are equal whenever the finding is to count as the same one;
    `related` are places in other files. `stated`: the author's rule that it is about: then the
    result belongs to that rule, at its line."""

    rule: RuleId
    message: str
    place: Place
    same: tuple[str, ...]
    threads: tuple[Thread, ...] = ()
    related: tuple[Place, ...] = ()
    stated: StatedRule | None = None


_LESS_GRAVE: Final[dict[str, str]] = {"error": "warning", "warning": "note", "note": "note"}
"""Levels of possible results, one less grave than of certain ones."""


def sarif_text(findings: Sequence[Finding], *, version: str, problems: Sequence[str] = ()) -> str:
    """The text of the file. `version` is that of choreomon; `problems` are what was wrong with
    files."""
    stated: dict[str, StatedRule] = {}
    for rule in (one.stated for one in findings if one.stated is not None):
        same = stated.setdefault(rule.id, rule)
        if rule.description != same.description:  # one for each value of its variables
            stated[rule.id] = same._replace(description="")
    places = {name: place for place, name in enumerate(stated, len(RULES))}
    return json.dumps(
        {
            "version": VERSION,
            "runs": [
                {
                    "tool": {
                        "driver": {
                            "name": "choreomon",
                            "semanticVersion": version,
                            "rules": [
                                {
                                    "id": name,
                                    "shortDescription": {"text": rule.text},
                                    "defaultConfiguration": {"level": rule.level},
                                }
                                for name, rule in RULES.items()
                            ]
                            + [_stated(each) for each in stated.values()],
                        }
                    },
                    "invocations": [
                        {
                            "executionSuccessful": not problems,
                            "toolExecutionNotifications": [
                                {"level": "error", "message": {"text": problem}}
                                for problem in problems
                            ],
                        }
                    ],
                    "columnKind": "unicodeCodePoints",
                    "results": [_result(one, places) for one in findings],
                }
            ],
        },
        indent=1,
    )


def _stated(rule: StatedRule) -> dict[str, Any]:
    """A rule of the document's author."""
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.description or rule.id},
        "defaultConfiguration": {"level": rule.severity},
        **({"helpUri": rule.runbook_url} if rule.runbook_url else {}),
        **({"properties": {"tags": list(rule.tags)}} if rule.tags else {}),
    }


def _result(finding: Finding, places: dict[str, int]) -> dict[str, Any]:
    """`places`: where in the list of rules those of authors are, by their ids."""
    rule, stated, place = RULES[finding.rule], finding.stated, finding.place
    name, index, level = str(finding.rule), [*RULES].index(finding.rule), rule.level
    if stated is not None:
        name, index = stated.id, places[stated.id]
        surely = finding.rule == "sequence-formed"
        level = stated.severity if surely else _LESS_GRAVE[stated.severity]
        place = Place(stated.file or place.file, stated.line or place.line)
    words = (finding.rule, *((stated.name,) if stated else ()), *finding.same)
    digest = hashlib.sha256("\0".join(words).encode()).hexdigest()
    result: dict[str, Any] = {
        "ruleId": name,
        "ruleIndex": index,
        "kind": rule.kind,
        "level": level,
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": _physical(place)}],
        "partialFingerprints": {"choreomon/v1": digest},
    }
    if finding.related:
        result["relatedLocations"] = [
            {"id": number, "physicalLocation": _physical(place)}
            for number, place in enumerate(finding.related)
        ]
    if finding.threads:
        result["codeFlows"] = [{"threadFlows": [_thread_flow(one) for one in finding.threads]}]
    return result


def _thread_flow(thread: Thread) -> dict[str, Any]:
    locations = []
    for number, text, place in thread.steps:
        location: dict[str, Any] = {"message": {"text": text}}
        if place is not None:
            location["physicalLocation"] = _physical(place)
        locations.append({"executionOrder": number, "location": location})
    return {"id": thread.process, "message": {"text": thread.process}, "locations": locations}


def _physical(place: Place) -> dict[str, Any]:
    found: dict[str, Any] = {"artifactLocation": {"uri": quote(PurePath(place.file).as_posix())}}
    if place.line:
        found["region"] = {"startLine": place.line}
    return found
