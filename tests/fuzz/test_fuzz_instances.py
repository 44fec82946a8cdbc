"""Damaged frames about instances, and reports with damaged values: each is refused or taken, and
what an agent decides stays a state that can be stored."""

from __future__ import annotations

from random import Random

from benchmarks.fuzz.mutants import damaged, mutated_pack
from choreomon.agent_files.wire import encode
from choreomon.runtime.inputs import FromPeer, ReportWithValues
from choreomon.runtime.outputs import Answer, Ask, Dropped
from choreomon.runtime.sidecar import Sidecar
from choreomon.runtime.snapshot import decode_snapshot, encode_snapshot
from tests.runtime.test_values_of_events import HELLO, KEY, ONE, ORDERS, SYSTEM, host_of, ship

BILLING = Sidecar("billing", (SYSTEM,), (host_of(ORDERS, "billing"),), value_keys={SYSTEM: KEY})
FRAMES = 3_000


def frames() -> tuple[list[bytes], list[bytes]]:
    """What the shop asks about some orders, and what it is answered."""
    shop, _ = ONE.step(ONE.initial(), HELLO)
    billing, _ = BILLING.step(BILLING.initial(), HELLO)
    asked, answered = [], []
    for number in range(1, 9):
        order = {"order": f"A-{number % 3}"}
        refund = ReportWithValues(
            1, "s", number, number - 1, "send", "bank", "refund", "", 0, order
        )
        billing, _ = BILLING.step(billing, refund)
        shop, outputs = ONE.step(shop, ship(number, order))
        for each in outputs:
            if isinstance(each, Ask):
                asked.append(encode(each.inquiry, SYSTEM, parameters=("order",)))
                billing, answers = BILLING.step(billing, FromPeer("shop", asked[-1]))
                answered += [
                    encode(reply.message, SYSTEM, parameters=("order",))
                    for reply in answers
                    if isinstance(reply, Answer)
                ]
    assert asked
    assert answered
    return asked, answered


def test_damaged_frames_about_instances_are_refused_or_taken() -> None:
    random = Random(7)
    asked, answered = frames()
    for sidecar, peer, pool in ((BILLING, "shop", asked), (ONE, "billing", answered)):
        state, _ = sidecar.step(sidecar.initial(), HELLO)
        if sidecar is ONE:
            for number in range(1, 9):
                state, _ = sidecar.step(state, ship(number, {"order": f"A-{number % 3}"}))
        reasons: dict[str, int] = {}
        for number in range(FRAMES):
            data = (mutated_pack if number % 2 else damaged)(random, pool)
            stepped, outputs = sidecar.step(state, FromPeer(peer, data))
            for each in outputs:
                if isinstance(each, Dropped):
                    reasons[each.reason] = reasons.get(each.reason, 0) + 1
            if number % 50 == 0:
                state = stepped
                assert decode_snapshot(encode_snapshot(state, sidecar), sidecar) == state
        assert reasons["malformed"] > FRAMES / 4
        assert sum(reasons.values()) < FRAMES
