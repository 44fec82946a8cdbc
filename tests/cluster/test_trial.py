"""What a trial of the cluster judges by, without containers; and that it says so where there
are none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cluster.trial.looking import Words, acknowledged, misjudged

ROOT = Path(__file__).parents[2]


def said(last: str | None, *provisional: str, merged: bool = False) -> Words:
    return Words(last, provisional, merged=merged)


EXPECTED: dict[str, str | None] = {"1": None, "2": "violated", "3": "possibly-violated"}
RIGHT = {"2": said("violated"), "3": said("possibly-violated")}


@pytest.mark.parametrize(
    "found",
    [
        RIGHT,
        {**RIGHT, "3": said("possibly-violated", "possibly-violated")},
        {**RIGHT, "1": said("withdrawn", "possibly-violated")},
        {**RIGHT, "1": said("possibly-violated", merged=True)},
        {**RIGHT, "2": said("possibly-violated", merged=True)},
    ],
)
def test_the_right_words_are_right(found):
    assert misjudged(EXPECTED, set(), found) == ""


WRONG = [
    ({"3": said("possibly-violated")}, "order 2 is said: None"),
    ({**RIGHT, "2": said(None, "possibly-violated")}, "order 2 is said: None"),
    ({**RIGHT, "2": said("withdrawn")}, "order 2 is said: withdrawn"),
    ({**RIGHT, "1": said("violated")}, "order 1 is said: violated"),
    ({**RIGHT, "3": said("violated")}, "order 3 is said: violated"),
    ({**RIGHT, "1": said("violated", merged=True)}, "order 1 is said: violated"),
    ({**RIGHT, "2": said(None, "possibly-violated", merged=True)}, "order 2 is said: None"),
    ({**RIGHT, "2": said("withdrawn", merged=True)}, "order 2 is said: withdrawn"),
    ({**RIGHT, "4": said("violated")}, "nobody expected: ['4']"),
]
LESS_CERTAIN = [
    ({**RIGHT, "2": said("possibly-violated")}, "order 2 is said: possibly-violated"),
    ({**RIGHT, "1": said("possibly-violated")}, "order 1 is said: possibly-violated"),
]


@pytest.mark.parametrize(("found", "told"), [*WRONG, *LESS_CERTAIN])
def test_a_word_that_is_missing_or_wrong_is_noticed(found, told):
    assert told in misjudged(EXPECTED, set(), found)


@pytest.mark.parametrize(("found", "told"), WRONG)
def test_where_something_is_late_nothing_may_be_missed_or_made_up_either(found, told):
    assert told in misjudged(EXPECTED, {"1", "2", "3", "4"}, found)


@pytest.mark.parametrize(("found", "told"), LESS_CERTAIN)
def test_where_something_is_late_less_may_be_certain(found, told):
    assert misjudged(EXPECTED, {"1", "2", "3", "4"}, found) == ""


def test_events_are_counted_by_what_the_table_mentions():
    labels = ["handle env -> customer : change(order)", "customer -> orders : order(order)"]
    state = {"sent": {"order": 3, "cancel": 5}, "handled": {"change": 2, "buy": 7}}
    assert acknowledged(labels, state) == 5
    assert acknowledged([], state) == 0


@pytest.mark.parametrize(("arguments", "code"), [([], 2), (["--or-skip"], 0)])
def test_without_docker_it_says_so_and_passes_only_where_that_was_asked_for(arguments, code):
    done = subprocess.run(
        [sys.executable, "-m", "cluster.trial", *arguments],
        cwd=ROOT,
        env={"PATH": "/nowhere"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code
    assert "there is no command docker" in done.stderr
