"""Which actions no log has, and which only logs have."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from choreomon.batch.judge import Judge, letters_of
from choreomon.batch.question import Question
from choreomon.core.action import Action, emission, parse_action, reception
from choreomon.interaction.term import act, seq
from choreomon.interaction_files.offline_json import write_multi_trace_json
from choreomon.multitrace.multitrace import component, multi_trace
from choreomon.sentences.occurring_actions import occurring_sentences
from choreomon.verify.outcome import tally
from choreomon.verify.papers.options import Analysis

ACTIONS = tuple(map(parse_action, ("a!x", "b?x", "b!y", "a?y", "c!z")))


def test_what_no_log_has_and_what_only_logs_have_is_told_with_what_may_be_meant() -> None:
    letters = tuple(sorted(ACTIONS))
    unseen = sum(1 << n for n, letter in enumerate(letters) if str(letter) in ("a!x", "c!z"))
    strange = Counter({emission("a", "xx"): 2, reception("q", "w"): 1})
    assert occurring_sentences(letters, unseen, strange) == [
        "Not exercised, since they are in no log: a!x, c!z.",
        "a!xx should never happen, and does in 2 multi-traces; did you mean a!x?",
        "q?w should never happen, and does in 1 multi-trace.",
    ]
    assert occurring_sentences(letters, 0, {}) == []


@pytest.mark.parametrize("seed", range(20))
def test_judging_counts_them_as_by_hand(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    wanted = random.sample(ACTIONS, random.randint(1, 5))
    protocol = seq(*map(act, wanted)) if len(wanted) > 1 else act(wanted[0])
    other = [*ACTIONS, emission("a", "other")]
    seen: set[Action] = set()
    strange: Counter[Action] = Counter()
    judge = Judge(Question(interaction=protocol, analysis=Analysis("prefix")))
    outcomes = []
    for number in range(random.randint(1, 4)):
        drawn = random.choices(other, k=random.randint(0, 6))
        drawn = [each for each in drawn if each.lifeline in protocol_lifelines(wanted)]
        logs = [
            component([name], [each for each in drawn if each.lifeline == name])
            for name in sorted(protocol_lifelines(wanted))
        ]
        file = tmp_path / f"{number}.json"
        file.write_text(write_multi_trace_json(multi_trace(logs)), encoding="utf-8")
        outcomes.append(judge.judge(str(file)))
        seen |= {*drawn}
        strange.update({*drawn} - {*wanted})
    found = tally(outcomes)
    letters = letters_of(protocol)
    assert letters == tuple(sorted(set(wanted)))
    assert found.strange == strange
    assert found.unseen is not None
    unseen = {letter for place, letter in enumerate(letters) if found.unseen >> place & 1}
    assert unseen == {*letters} - seen


def protocol_lifelines(wanted: list[Action]) -> set[str]:
    return {each.lifeline for each in wanted}
