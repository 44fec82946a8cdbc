"""The word about an event from what its final transitions came to, and its reasons."""

from __future__ import annotations

from choreomon.core.verdict import FRM, FRM_P, Judgement, Reason, Reference
from choreomon.monitor.joint import joint_verdict

EVENT = (2, 2)
FIRST = Reference("q1", "P2", "q2")
SECOND = Reference("q1", "P2", "q3")
OTHER = Reference("q5", "P2", "q6")
PRE = Reason("pre", Reference("q0", "P1", "q1"), (1, 0), FRM, "before", False)
VIO = Reason(
    "vio", Reference("q1", "P1", "q0"), (2, 0), FRM_P, "before", False, PRE.clock, PRE.reference
)
OTHER_PRE = Reason("pre", Reference("q4", "P1", "q5"), (1, 0), FRM, "before", False)
OTHER_VIO = Reason(
    "vio",
    Reference("q5", "P1", "q4"),
    (2, 0),
    FRM,
    "before",
    True,
    OTHER_PRE.clock,
    OTHER_PRE.reference,
)
POSSIBLY = Judgement(FRM_P, (PRE, VIO))
NOT_FIRED = Judgement(None, (OTHER_PRE, OTHER_VIO))


def test_a_word_rests_on_what_fired_or_may_have_and_on_nothing_else() -> None:
    verdict = joint_verdict("P2", EVENT, [(OTHER, NOT_FIRED), (FIRST, POSSIBLY)])
    assert verdict is not None
    assert verdict.kind == "possibly-violated"
    assert verdict.transitions == (FIRST,)
    assert verdict.because == POSSIBLY.because


def test_a_violation_keeps_the_reasons_of_what_only_possibly_fired() -> None:
    sure = Judgement(FRM, (OTHER_PRE._replace(certain=True),))
    verdict = joint_verdict("P2", EVENT, [(FIRST, POSSIBLY), (OTHER, sure)])
    assert verdict is not None
    assert verdict.kind == "violated"
    assert verdict.transitions == (FIRST, OTHER)
    assert verdict.because == POSSIBLY.because + sure.because


def test_a_withdrawal_rests_on_everything_that_was_judged() -> None:
    gone = Judgement(None, (PRE, VIO._replace(certain=True)))
    judged = [(FIRST, gone), (OTHER, NOT_FIRED)]
    verdict = joint_verdict("P2", EVENT, judged, "possibly-violated")
    assert verdict is not None
    assert verdict.kind == "withdrawn"
    assert verdict.transitions == (FIRST, OTHER)
    assert verdict.because == gone.because + NOT_FIRED.because


def test_reasons_that_final_transitions_share_are_given_once_in_their_first_place() -> None:
    late = PRE._replace(clock=(2, 0), relation="concurrent")
    more = Judgement(FRM_P, (late, PRE, VIO))
    verdict = joint_verdict("P2", EVENT, [(FIRST, POSSIBLY), (SECOND, more)])
    assert verdict is not None
    assert verdict.transitions == (FIRST, SECOND)
    assert verdict.because == (PRE, VIO, late)


def test_cancellations_of_two_transitions_that_one_event_fired_are_told_apart() -> None:
    """They differ in nothing but the record that they concern."""
    twin = PRE._replace(reference=Reference("q7", "P1", "q1"))
    concerning_it = VIO._replace(of_reference=twin.reference)
    judgement = Judgement(FRM_P, (PRE, VIO, twin, concerning_it))
    verdict = joint_verdict("P2", EVENT, [(FIRST, judgement)])
    assert verdict is not None
    assert verdict.because == judgement.because


def test_nothing_is_declared_where_nothing_fired_and_nothing_was_told() -> None:
    assert joint_verdict("P2", EVENT, [(OTHER, NOT_FIRED)]) is None
