"""Say which actions no log has, and which only logs have: perhaps a name has a typo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from choreomon.core.action import Action
from choreomon.core.suggestion import closest, listed


def occurring_sentences(
    letters: Sequence[Action], unseen: int, strange: Mapping[Action, int]
) -> list[str]:
    """Sentences on missing and strange actions. `letters` are the actions that should happen,
    `unseen` has a bit for each of them that is in no log; `strange` are actions of logs that should
    never happen, and in how many of the multi-traces they do, 0 if that was not counted."""
    never = [str(letter) for place, letter in enumerate(letters) if unseen >> place & 1]
    told = []
    if never:
        since = "they are" if len(never) > 1 else "it is"
        told.append(f"Not exercised, since {since} in no log: {listed(never)}.")
    for action, logs in sorted(strange.items(), key=lambda each: (-each[1], each[0])):
        meant = closest(str(action), never)
        hint = f"; did you mean {meant}?" if meant else "."
        where = f" in {logs:,} multi-trace{'s' * (logs > 1)}" if logs else ""
        told.append(f"{action} should never happen, and does{where}{hint}")
    return told
