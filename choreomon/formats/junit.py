"""Outcomes as JUnit XML, which build servers show.

One test suite for the interaction, one test case for each multi-trace: Fail is a `failure`, what
could not be read an `error`, what is not known `skipped` with its reason. A failure says who is to
blame, and its `type` is the kind of the fault. Build servers take a
suite with skipped cases for a good one; the exit code of the command does not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from choreomon.verify.outcome import Outcome

_NOT_IN_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ELEMENTS: Final = {"failed": "failure", "bad input": "error", "inconclusive": "skipped"}


def junit_xml(name: str, outcomes: Sequence[Outcome]) -> str:
    """The text of the file; `name` is that of the suite. Times are seconds."""
    conclusions = [outcome.conclusion for outcome in outcomes]
    suite = " ".join(
        f"{key}={_attribute(str(value))}"
        for key, value in (
            ("name", name),
            ("tests", len(outcomes)),
            ("failures", conclusions.count("failed")),
            ("errors", conclusions.count("bad input")),
            ("skipped", conclusions.count("inconclusive")),
            ("time", _seconds(sum(outcome.seconds for outcome in outcomes))),
        )
    )
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuite {suite}>"]
    for outcome in outcomes:
        lines += _case(outcome)
    lines.append("</testsuite>")
    return "\n".join(lines) + "\n"


def _case(outcome: Outcome) -> list[str]:
    path = PurePath(outcome.trace)
    case = (
        f"  <testcase classname={_attribute(path.parent.as_posix())} "
        f"name={_attribute(path.name)} time={_attribute(_seconds(outcome.seconds))}"
    )
    element = _ELEMENTS.get(outcome.conclusion)
    if element is None:
        return [f"{case}/>"]
    if outcome.answer is None:
        message, text = "bad input", outcome.problem
    else:
        message = ": ".join(filter(None, (outcome.answer.verdict.value, outcome.answer.reason)))
        if outcome.fault is not None:
            blamed = " ".join(f"[{','.join(one)}]" for one in outcome.fault.locations)
            message = f"{message}: {outcome.fault.kind} {blamed}"
        text = f"{outcome.trace}, mode {outcome.mode}: {message}"
    kind = "" if outcome.fault is None else f" type={_attribute(outcome.fault.kind)}"
    return [
        f"{case}>",
        f"    <{element} message={_attribute(message)}{kind}>{escape(_clean(text))}</{element}>",
        "  </testcase>",
    ]


def _attribute(text: str) -> str:
    return quoteattr(_clean(text))


def _clean(text: str) -> str:
    """XML has no way to write the signs that are replaced."""
    return _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def _seconds(seconds: float) -> str:
    return f"{seconds:.6f}"
