"""Data sets of multi-traces with known answers, as files."""

from __future__ import annotations

import json
import lzma
from typing import Any

import pytest

from choreomon.core.errors import DocumentError
from choreomon.experiments.case_files import read_subject, subject_lines

CASE = {"kind": "ACPT", "trace": "t1", "htf": "{[l1] l1!m;[l2]}", "accept": 0, "prefix": 1}
SUBJECT = {"name": "i", "hif": "seq(l1 -- m ->|, m -> l2)", "cases": [CASE]}


def line(**changed: Any) -> bytes:
    case = {**CASE, **{name: value for name, value in changed.items() if name in CASE}}
    whole = {name: value for name, value in changed.items() if name not in CASE}
    return json.dumps({**SUBJECT, "cases": [case], **whole}).encode()


def test_a_line_is_an_interaction_with_its_cases() -> None:
    subject = read_subject(line(), 1, None, "f")
    assert (subject.name, str(subject.interaction)) == ("i", "seq(l1!m,l2?m)")
    (case,) = subject.cases
    assert (case.kind, case.name, case.accepted, case.conforms) == ("ACPT", "t1", False, True)
    assert str(case.multitrace) == "{[l1] l1!m; [l2]}"


@pytest.mark.parametrize("pack", [bytes, lzma.compress])
def test_files_may_be_compressed_and_have_empty_lines(pack: Any) -> None:
    content = pack(line() + b"\n\n" + line(name="j") + b"\n")
    assert subject_lines(content, "f") == [(1, line()), (3, line(name="j"))]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (b"{", "f:4: "),
        (
            line(kind="ABCD"),
            "f:4: cases[0].kind: should be ACPT, PREF, NOIS, SACT or SCMP, not 'ABCD'",
        ),
        (line(accept=2), "f:4: cases[0].accept: should be at most 1"),
        (line(other=1), "f:4: has a field `other`, which is none"),
        (line(accept=1, prefix=0), "f:4: t1: what is accepted is a multi-prefix too"),
        (line(hif="seq("), "f:4: hif:1: "),
        (line(htf="{[l1] l2!m}"), "f:4: t1:1: "),
        (line(htf="{[l1,l2] l2!m}"), "f:4: t1: the experiment needs a component for every"),
    ],
)
def test_errors_say_the_line_and_the_case(wrong: bytes, told: str) -> None:
    with pytest.raises(DocumentError) as error:
        read_subject(wrong, 4, None, "f")
    assert str(error.value).startswith(told)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "f: holds no interaction: a line each"),
        (lzma.compress(b"x")[:-5], "f: cannot be unpacked: "),
    ],
)
def test_files_that_hold_nothing_are_refused(content: bytes, told: str) -> None:
    with pytest.raises(DocumentError) as error:
        subject_lines(content, "f")
    assert str(error.value).startswith(told)
