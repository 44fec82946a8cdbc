"""A live verdict as one line of JSON, and back.

    {"id":"9f0c.../car/3/violated","verdict":"violated","provisional":false,
     "system":"9f0c...","property":"smart-home","process":"car","count":3,
     "label":"car -> garage : close","clock":{"hallway":2,"car":3},
     "transitions":[["q2","q3"]],
     "because":[{"event":{"process":"hallway","count":2},"transition":["q1","q2"],"role":"pre",
                 "result":"Frm","relation":"before","certain":true}],
     "silent":[],"waiting_for":[],"unseen":false,"time":"2026-01-31T12:00:00.250Z"}

on one line of ASCII, the fields in this order.

| field | exactly |
|---|---|
| `id` | of the word, `SYSTEM/PROCESS/COUNT/KIND`: one that is delivered again has the same |
| `verdict` | `violated`, `possibly-violated` or `withdrawn` |
| `provisional` | whether it was given at a deadline, and another word about the event follows |
| `system` | the id that `choreomon split` gave the property, 32 hex digits |
| `property` | its title |
| `process`, `count` | the event: its process, and its number among the events of that process that count for this property, from 1 |
| `label` | of the event, as documents write it; `null` for the end of a gap |
| `clock` | of the event, by process, zero entries left out |
| `transitions` | the final ones that fired or may have; of a withdrawn word those that were judged |
| `because` | one entry for each record that it rests on, see below |
| `silent` | the monitors whose answers were missing |
| `waiting_for` | those for whom the silent ones said that they wait in turn |
| `unseen` | whether it is about events in a gap that may have formed the property, unseen |
| `time` | wall time in RFC 3339 when it was told |

The entries of `because` have the fields that docs/verdicts.md, "Reasons in JSON", describes, with
`event` instead of `event_index`. An event is `{"process": ..., "count": ...}`. `result` may also be
`Gap`, and the event is then `{"process": ..., "count": ..., "gap": true}` with the count of the
gap's end, which is left out while it has not ended; `since` is the last event before it.
"""  # noqa: E501

from __future__ import annotations

from choreomon.core.live import LiveVerdict
from choreomon.core.verdict import Verdict
from choreomon.formats.table_file import SplitTable


def live_verdict(
    verdict: Verdict,
    table: SplitTable,
    *,
    id: str,
    count: int,
    label: str,
    provisional: bool,
    time: float,
) -> LiveVerdict:
    """The verdict with its events named. `label` is empty for the end of a gap; `time` is wall time
    in seconds."""
    raise NotImplementedError


def verdict_line(verdict: LiveVerdict) -> str:
    """One line of ASCII, without a line end."""
    raise NotImplementedError


def decode_verdict_untrusted(line: str | bytes) -> LiveVerdict:
    """Raises `MalformedMessage`, and nothing else, for what is no live verdict."""
    raise NotImplementedError


def rfc3339(seconds: float) -> str:
    """Wall time since 1970 in UTC, with milliseconds: `2026-01-31T12:00:00.250Z`."""
    raise NotImplementedError
