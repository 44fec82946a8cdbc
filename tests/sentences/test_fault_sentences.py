"""Who is to blame, in words."""

from __future__ import annotations

from choreomon.sentences.fault_sentences import blame_words, fault_sentences, fault_words
from choreomon.verify.fault import Fault

A, B, CD = ("a",), ("b",), ("c", "d")


def test_local_errors() -> None:
    assert fault_sentences(Fault("LocalError", (A,))) == [
        "LocalError: the log of a is wrong, whatever happened elsewhere."
    ]
    several = Fault("LocalError", (A, CD))
    assert fault_sentences(several) == [
        "LocalError: the logs of a and [c,d] are wrong, each whatever happened elsewhere."
    ]
    assert fault_words(several) == "LocalError: a, [c,d]"
    assert [blame_words(several, one) for one in (A, B, CD)] == [
        "wrong by itself",
        "",
        "wrong by itself",
    ]


def test_logs_that_do_not_go_together() -> None:
    assert fault_sentences(Fault("CentralError", (A, B))) == [
        "CentralError: the logs of a and b do not go together, whatever happened elsewhere."
    ]
    three = Fault("CentralError", (A, B, CD))
    assert fault_sentences(three) == [
        "CentralError: the logs of a, b and [c,d] do not go together, whatever happened elsewhere; "
        "without one of them the others do."
    ]
    assert blame_words(three, B) == "does not go with a and [c,d]"


def test_all_pairs_are_told() -> None:
    fault = Fault("InterError", (A, B), ((A, B), (B, CD)))
    assert fault_sentences(fault) == [
        "InterError: the logs of a and b do not go together, whatever happened elsewhere.",
        "Nor do those of b and [c,d].",
    ]
