"""What follows from what services promise, and from the policies of all sessions together."""

from __future__ import annotations

import pytest

from choreomon.runtime.inputs import Policy
from choreomon.runtime.sessions import (
    Session,
    answered,
    holds_back,
    latest,
    may_promise,
    overtaken,
    unseen_since,
)

SINCE = ((1, 0),)


def session(policy: Policy, *, promised: bool = False, overtaken: bool = False) -> Session:
    return Session(policy, 1, promised=promised, since=SINCE, overtaken=overtaken)


@pytest.mark.parametrize(
    ("policy", "promised", "held", "unseen"),
    [
        ("block", False, False, False),
        ("buffer", False, True, False),
        ("buffer", True, False, False),
        ("let-go", False, False, True),
        ("let-go", True, False, False),
        ("fire-and-forget", False, False, True),
        ("fire-and-forget", True, False, True),
    ],
)
def test_what_silence_means(policy: Policy, promised: bool, held: bool, unseen: bool) -> None:
    sessions = {"s": session(policy, promised=promised)}
    assert holds_back(sessions) == held
    assert unseen_since(sessions) == ([SINCE] if unseen else [])


def test_what_is_overtaken_is_not_waited_for_and_is_a_gap() -> None:
    sessions = overtaken({"old": session("buffer"), "new": session("buffer", promised=True)}, "new")
    assert not holds_back(sessions)
    assert unseen_since(sessions) == [SINCE]


def test_who_tells_something_does_not_overtake_itself() -> None:
    sessions = {"s": session("buffer"), "other": session("block")}
    assert overtaken(sessions, "s") is sessions


def test_only_those_that_let_messages_leave_have_something_to_promise() -> None:
    found = [policy for policy in ("block", "buffer", "let-go", "fire-and-forget")
             if may_promise(session(policy))]  # type: ignore[arg-type]  # fmt: skip
    assert found == ["buffer", "let-go"]


def test_answers_are_kept_until_they_are_done() -> None:
    one = answered(answered(session("block"), 1, 0, "one"), 2, 0, "two")
    assert one.replies == ((1, "one"), (2, "two"))
    assert answered(one, 3, 2, "three").replies == ((3, "three"),)


def test_the_one_heard_of_last_is_at_the_end() -> None:
    sessions = latest({"a": session("block"), "b": session("block")}, "a", session("block"))
    assert list(sessions) == ["b", "a"]
