"""Outcomes and runs as JUnit XML, which build servers show.

One test suite, one test case for each multi-trace, run, or audit: what failed is a `failure`, what
could not be read an `error`, what is not known `skipped` with its reason. A failure of logs says
who is to blame, and its `type` is the kind of the fault. Build servers take a suite with skipped
cases for a good one; the exit code of the command does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Final, Literal, NamedTuple, TypeAlias
from xml.sax.saxutils import escape, quoteattr

from choreomon.audit.kinds import kind_of
from choreomon.audit.outcome import AuditVerdict
from choreomon.audit.outcome import Outcome as AuditOutcome
from choreomon.audit.rules import NOTHING, RuleResult
from choreomon.audit.summary import INSTANCE, SessionsOutcome
from choreomon.core.binding import in_words
from choreomon.core.run import Run
from choreomon.core.stated_rule import StatedRule
from choreomon.core.verdict import VIOLATED
from choreomon.verify.outcome import Outcome
from choreomon.verify.verdict import Verdict

_NOT_IN_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ELEMENTS: Final[dict[str, Element]] = {
    "failed": "failure",
    "bad input": "error",
    "inconclusive": "skipped",
}

Element: TypeAlias = Literal["failure", "error", "skipped"]


class Case(NamedTuple):
    """A test case; `element` is None where all is well. `seconds`: None where nobody measured.
    `suite`: the rule that it is about, of a property that is written as rules."""

    classname: str
    name: str
    element: Element | None = None
    message: str = ""
    text: str = ""
    kind: str = ""
    seconds: float | None = None
    suite: str = ""


def junit_xml(name: str, cases: Iterable[Case]) -> str:
    """The text of the file; `name` is that of the suite. Times are seconds. Where cases are about
    rules there is a suite for each of these."""
    suites: dict[str, list[Case]] = {}
    for case in cases:
        suites.setdefault(case.suite, []).append(case)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    if set(suites) <= {""}:
        lines += _suite(name, suites.get("", []))
    else:
        lines.append(f"<testsuites name={_attribute(name)}>")
        for suite, every in suites.items():
            lines += _suite(suite or name, every)
        lines.append("</testsuites>")
    return "\n".join(lines) + "\n"


def _suite(name: str, every: Sequence[Case]) -> Iterator[str]:
    elements = [case.element for case in every]
    facts = [
        ("name", name),
        ("tests", str(len(every))),
        ("failures", str(elements.count("failure"))),
        ("errors", str(elements.count("error"))),
        ("skipped", str(elements.count("skipped"))),
    ]
    measured = [case.seconds for case in every if case.seconds is not None]
    if measured or not every:
        facts.append(("time", _seconds(sum(measured))))
    suite = " ".join(f"{key}={_attribute(value)}" for key, value in facts)
    yield f"<testsuite {suite}>"
    for case in every:
        yield from _lines(case)
    yield "</testsuite>"


def case_of_outcome(outcome: Outcome) -> Case:
    """The case of a multi-trace."""
    path = PurePath(outcome.trace)
    element = _ELEMENTS.get(outcome.conclusion)
    case = Case(path.parent.as_posix(), path.name, element, seconds=outcome.seconds)
    if element is None:
        return case
    if outcome.answer is None:
        return case._replace(message="bad input", text=outcome.problem)
    message = ": ".join(filter(None, (outcome.answer.verdict.value, outcome.answer.reason)))
    if outcome.fault is not None:
        blamed = " ".join(f"[{','.join(one)}]" for one in outcome.fault.locations)
        message = f"{message}: {outcome.fault.kind} {blamed}"
    return case._replace(
        message=message,
        text=f"{outcome.trace}, mode {outcome.mode}: {message}",
        kind="" if outcome.fault is None else outcome.fault.kind,
    )


def cases_of_run(run: Run, document: str, rules: Sequence[StatedRule] = ()) -> Iterator[Case]:
    """The cases of a run of a document: one, or one for each of `rules` and one for the logs where
    these were verified. A failure if it was violated or its logs do not fit, an error if it was
    stopped, and skipped if that is only possible or not known."""
    for stated in rules:
        about = replace(
            run,
            verdicts=tuple([each for each in run.verdicts if each.rule == stated]),
            verification=None,
        )
        yield case_of_run(about, document)._replace(suite=stated.name)
    if not rules:
        yield case_of_run(run, document)
    elif run.verification is not None:
        yield case_of_run(replace(run, verdicts=()), document)


def case_of_run(run: Run, document: str) -> Case:
    """The case of a run of a document: a failure if it was violated or its logs do not fit, an
    error if it was stopped, and skipped if that is only possible or not known."""
    case = Case(document, f"seed {run.seed}")
    told = [
        f"{verdict.verdict}{verdict.instance} at {verdict.label} (event {verdict.event_index}), by "
        f"{verdict.monitor}"
        for verdict in run.verdicts
        if verdict.verdict != "withdrawn"
    ]
    words = {verdict.verdict for verdict in run.verdicts}
    failed = VIOLATED in words
    if run.verification is not None:
        logs = Verdict(run.verification.verdict)
        failed = failed or not (logs.passes or logs.inconclusive)
        if not logs.passes:
            told.append(f"logs, mode {run.verification.mode}: {logs.value}")
    if run.reached_max_events:
        return case._replace(element="error", message="stopped: network.max_events was reached")
    if failed:
        return case._replace(element="failure", message=told[0], text="\n".join(told))
    if told:
        return case._replace(element="skipped", message=told[0], text="\n".join(told))
    return case


def cases_of_audit(
    outcome: AuditOutcome, rules: Sequence[RuleResult], document: str, logs: str
) -> Iterator[Case]:
    """The case of an audit, or a case for each rule of a property that is written as rules."""
    if all(rule.stated is None for rule in rules):
        yield case_of_audit(outcome, document, logs)
    for rule in rules:
        stated = rule.stated
        if stated is None:
            continue
        case = Case(stated.file or document, logs, suite=stated.name)
        told = [
            f"{verdict.kind} at {verdict.item.label} ({verdict.item.event.place})"
            for verdict in outcome.verdicts
            if verdict.item.event is not None and verdict.rule == stated
        ]
        text = "\n".join(filter(None, (stated.description, *(told or [rule.word]))))
        if rule.word == VIOLATED:
            case = case._replace(element="failure", message=(told or [rule.word])[0], text=text)
        elif rule.word != NOTHING:
            case = case._replace(element="skipped", message=(told or [rule.word])[0], text=text)
        yield case


def case_of_audit(outcome: AuditOutcome, document: str, logs: str) -> Case:
    """The case of an audit of logs by a property in a document: a failure if it was violated,
    skipped if that is only possible, or where a label of the property occurs nowhere."""
    case = Case(document, logs)
    told = [
        f"{verdict.kind} at {verdict.item.label} ({verdict.item.event.place})"
        for verdict in outcome.verdicts
        if verdict.item.event is not None
    ]
    nowhere = [each.sentence() for each in outcome.occurrences.nowhere()]
    if outcome.overall.kind is None:
        return _not_exercised(case, nowhere) if nowhere else case
    surely = outcome.overall.kind == VIOLATED
    first = next((one for one in told if one.startswith(outcome.overall.kind)), None)
    return case._replace(
        element="failure" if surely else "skipped",
        message=first or outcome.overall.kind,
        text="\n".join((*(told or [outcome.overall.kind]), *nowhere)),
    )


def _not_exercised(case: Case, nowhere: Sequence[str]) -> Case:
    return case._replace(element="skipped", message=nowhere[0], text="\n".join(nowhere))


def cases_of_sessions(outcome: SessionsOutcome, document: str, logs: str) -> Iterator[Case]:
    """Cases of audits of many sessions: one for each kind of verdict, or of instances for each
    verdict, a failure if it is violated
    and skipped if that is only possible; an error for the sessions that could not be judged; a
    case that is well for those of which nothing is to be said, and a skipped one where labels of
    the property occur nowhere."""
    where = f"{document}: {logs}"
    yield from _of_instances(outcome, where)
    for example in () if outcome.called == INSTANCE else outcome.kinds:
        kind = example.kind
        sequence = ", then ".join(step.label for step in kind.steps) or "no single event"
        told = f"{kind.verdict} in {example.sessions} {outcome.called}s: {sequence}"
        names = ", ".join(example.names) + example.dots
        at = "" if example.event is None else f"\nfirst at {example.event.place}"
        undone = f", perhaps undone by {', '.join(kind.instead)}" if kind.instead else ""
        undecided = ", undecided" if kind.undecided else ""
        yield Case(
            where,
            f"{kind.verdict}{undecided}: {sequence}{undone}",
            "failure" if kind.verdict == VIOLATED else "skipped",
            told,
            f"{told}\n{outcome.called}s {names}{at}",
            suite=kind.rule,
        )
    if outcome.unjudged:
        told = f"{outcome.unjudged} sessions could not be judged"
        problems = "\n".join(outcome.problems)
        yield Case(where, "sessions that could not be judged", "error", told, problems)
    well = outcome.verdicts.get(None, 0)
    if well or not (outcome.kinds or outcome.unjudged):
        yield Case(where, f"{well} {outcome.called}s in which nothing was formed")
    if nowhere := [each.sentence() for each in outcome.occurrences.nowhere()]:
        yield _not_exercised(Case(where, "labels that occur nowhere"), nowhere)


def _of_instances(outcome: SessionsOutcome, where: str) -> Iterator[Case]:
    """Yields a case for each verdict of an instance, and one for those that were not kept."""
    for binding, verdict in outcome.each.kept:
        kind = kind_of(verdict)
        event = verdict.item.event if isinstance(verdict, AuditVerdict) else None
        sequence = ", then ".join(step.label for step in kind.steps) or "no single event"
        undone = f", perhaps undone by {', '.join(kind.instead)}" if kind.instead else ""
        undecided = ", undecided" if kind.undecided else ""
        told = f"{kind.verdict}{undecided} for {in_words(binding) or 'all'}"
        at = "" if event is None else f" at {event.place}"
        yield Case(
            where,
            f"{told}{at}",
            "failure" if kind.verdict == VIOLATED else "skipped",
            f"{told}: {sequence}{undone}",
            f"{told}{at}: {sequence}{undone}",
            suite=kind.rule,
        )
    for word, many in outcome.each.others:
        told = f"{many} more verdicts that are {word}"
        yield Case(where, told, "failure" if word == VIOLATED else "skipped", told, told)


def _lines(case: Case) -> list[str]:
    start = f"  <testcase classname={_attribute(case.classname)} name={_attribute(case.name)}"
    if case.seconds is not None:
        start += f" time={_attribute(_seconds(case.seconds))}"
    if case.element is None:
        return [f"{start}/>"]
    kind = f" type={_attribute(case.kind)}" if case.kind else ""
    return [
        f"{start}>",
        f"    <{case.element} message={_attribute(case.message)}{kind}>"
        f"{escape(_clean(case.text))}</{case.element}>",
        "  </testcase>",
    ]


def _attribute(text: str) -> str:
    return quoteattr(_clean(text))


def _clean(text: str) -> str:
    """XML has no way to write the signs that are replaced."""
    return _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def _seconds(seconds: float) -> str:
    return f"{seconds:.6f}"
