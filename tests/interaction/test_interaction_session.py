"""Sessions end with what was made in them; names in logs leave nothing behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from choreomon.core.action import emission, reception
from choreomon.hibou.model import read_interaction
from choreomon.interaction.lifelines import NONE, NUMBERING, bit, known_mask, mask, names
from choreomon.interaction.session import Session, require_current
from choreomon.interaction.term import EMPTY, TERMS, act, observed, strict
from choreomon.multitrace.multitrace import Component, MultiTrace
from choreomon.verify.papers.options import Options
from choreomon.verify.verdict import Mode, Verdict
from choreomon.verify.verifier import Verifier

ORDERED = "loopW(strict(a!x, b?x))"
EXACT: tuple[Mode, ...] = ("accept", "prefix", "multiprefix", "slice")


def test_names_begin_again_in_a_session_and_are_back_after_it() -> None:
    outside = bit("outside")
    with Session():
        assert known_mask(["outside"]) == NONE
        assert bit("inside") == 1
        assert names(1) == ("inside",)
    assert known_mask(["inside"]) == NONE
    assert known_mask(["outside"]) == outside == bit("outside")


def test_terms_are_one_object_within_a_session_only() -> None:
    there = strict(act(emission("a", "x")), act(reception("b", "x")))
    with Session():
        here = strict(act(emission("a", "x")), act(reception("b", "x")))
        assert here is strict(act(emission("a", "x")), act(reception("b", "x")))
        assert here is not there
        assert here.order == there.order
    assert there is strict(act(emission("a", "x")), act(reception("b", "x")))


def test_a_session_goes_on_where_it_was_left() -> None:
    session = Session()
    with session:
        verifier = Verifier(read_interaction(ORDERED), "accept")
    with session:
        logs = MultiTrace((Component(("a", "b"), (emission("a", "x"), reception("b", "x"))),))
        assert verifier.decide(logs).verdict is Verdict.PASS


def test_a_session_is_entered_once_at_a_time() -> None:
    session = Session()
    with session, pytest.raises(RuntimeError, match="entered already"), session:
        pass
    with session:
        bit("after what was refused")
    assert known_mask(["after what was refused"]) == NONE


def test_what_raises_in_a_session_leaves_it() -> None:
    def lose() -> None:
        with Session():
            bit("lost")
            raise KeyError

    with pytest.raises(KeyError):
        lose()
    assert known_mask(["lost"]) == NONE


@pytest.mark.parametrize("options", [None, Options()])
def test_interactions_of_another_session_are_refused(options: Options | None) -> None:
    for text in (ORDERED, "a!x"):
        there = read_interaction(text)
        with Session():
            read_interaction(text)
            with pytest.raises(ValueError, match="another session"):
                Verifier(there, "multiprefix", options=options)
            require_current(read_interaction(text))
            require_current(EMPTY)


def test_names_in_logs_get_no_bit() -> None:
    with Session():
        interaction = read_interaction(ORDERED)
        before = dict(NUMBERING.bits)
        for options in (None, Options()):
            for mode in EXACT if options is None else ("test", *EXACT):
                verifier = Verifier(interaction, mode, options=options)
                for number in range(3):
                    stranger = f"stranger{number}"
                    foreign = emission(stranger, "x")
                    apart = (
                        Component(("a", "b"), ()),
                        Component((stranger,), (foreign,)),
                    )
                    beside = (Component(("a", "b", stranger), (foreign,)),)
                    for logs in (apart, beside):
                        assert verifier.decide(MultiTrace(logs)).verdict is not Verdict.PASS
        assert NUMBERING.bits == before


def test_an_action_that_no_interaction_has_is_kept_by_nobody() -> None:
    with Session():
        known = act(emission("a", "x"))
        assert observed(emission("a", "x")) is known
        assert observed(emission("b", "y")).lifelines == NONE
        assert list(TERMS.actions) == [emission("a", "x")]
        assert mask("a") == known.lifelines


def test_the_example_of_the_documentation_prints_what_it_says() -> None:
    page = (Path(__file__).parents[2] / "docs" / "verify.md").read_text(encoding="utf-8")
    code, _, after = page.partition("with Session():")[2].partition("```")
    code = "with Session():" + code
    imports = page.partition(code)[0].rpartition("```python\n")[2]
    result = subprocess.run(
        [sys.executable, "-c", imports + code],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert after.lstrip().startswith(f"It prints `{result.stdout.strip()}`.")
