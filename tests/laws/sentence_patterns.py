"""What sentences an explanation may consist of, as patterns. The wording of `choreomon.sentences`
is not used: this is how somebody reads it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

ARROW: Final = r"\w+ -> \w+"
NAME: Final = rf"(?:[Tt]ransition {ARROW}|[Ss]tep \d+ of sequence \d+(?: \({ARROW}\))?)"
EVENT: Final = r"event \d+(?: \((?:send|handle) [^()]*\))?"

_ONE: Final = r"(?:step|transition)"
_DID: Final = r"(?:happened|fired)"
_NAMES: Final = rf"(?P<names>{NAME}(?: (?:and|or) {NAME})*)"
_OTHERS: Final = rf"(?: (?:and|or) (?:{EVENT}|[\d,]+ more events?))?"
_MERGED: Final = r"(?:, remembered as one with the others of events \d+ to \d+)?"
_EVENTS: Final = rf"(?P<events>{EVENT}(?:, {EVENT})*{_OTHERS}{_MERGED})"
_ORDER: Final = (
    r"(?P<order>before event \d+|which may have come before or after event \d+"
    r"|which is the event of the verdict itself)"
)
_BEFORE: Final = (
    rf"(?:step before (?P<of>it|{NAME}(?: and {NAME})*)(?: \((?P<states>{ARROW})\))?"
    rf"|transition before (?P<of_transitions>it|{NAME}(?: and {NAME})*), (?P<fired>{ARROW}),)"
)
_BY: Final = rf"(?:by (?P<by>{ARROW}(?: and {ARROW})*) )?"
_SEQUENCES: Final = r"(?:the forbidden sequence|(?P<which>sequence \d+(?: or sequence \d+)*))"

HEADLINE: Final = re.compile(
    r"(\S+) (declares violated|declares possibly violated|withdraws its verdict) "
    r"at event (\d+) \(((?:send|handle) [^()]*?)(?:, [\d,.]+ m?s)?\)\."
)

_PATTERNS: Final = {
    "ended for certain": (
        rf"{_NAMES} certainly {_DID} here; (?:it completes the|each completes its) sequence"
    ),
    "may have ended": (
        rf"{_NAMES} may have {_DID} here"
        r"(?:, too|; (?:it would complete the|each would complete its) sequence)"
    ),
    "begins": (
        r"(?:It (?:is the first step of its sequence|leaves an initial state), so nothing had to "
        rf"happen before it|{_NAMES} needs? nothing before it)"
    ),
    "sequence": r"(?:Sequence \d+ is|That is the last step of sequence \d+:) (?P<labels>.*)",
    "sequence by number": (
        r"(?:That is the last step of sequence \d+(?: or \d+)+|The last steps are .*)"
    ),
    "came before": rf"The {_BEFORE} (?P<did>(?:may have )?{_DID}) (?:at|in) {_EVENTS}, {_ORDER}",
    "came before all": rf"The {_BEFORE} {_DID} before everything else",
    "known from": r"That order is known from (?P<chain>.*)",
    "may not count": (
        rf"Whether (?:these count|event \d+ counts) as that {_ONE} is not certain: it depends on "
        r"what happened before"
    ),
    "gap": r"Its monitor was not told what happened there",
    "nothing cancelled": rf"Nothing cancelled (?:this|these) {_ONE}s?",
    "nothing known to have cancelled": (
        rf"Nothing is known to have cancelled (?:this|these) {_ONE}s?"
    ),
    "cancelled for certain": rf"This {_ONE} was certainly cancelled {_BY}at {_EVENTS}, or before",
    "may be cancelled": (
        rf"This {_ONE} may have been cancelled {_BY}(?:at|in) {_EVENTS}: (?P<doubts>.*)"
    ),
    "not listed": (
        rf"(?P<count>[\d,]+) more events? that may have been the {_ONE} before (?:is|are) not "
        r"listed"
    ),
    "one led here": (
        r"(?:By itself that is not certain, but in every possible order it led here"
        r"|None of these is certain by itself, but in every possible order one led here)"
    ),
    "none led here": r"But in no possible order did (?:it|any of these) lead here",
    "limit": (
        r"That alone would make it certain, but its monitor has reached the limit of what it "
        r"compares"
    ),
    "formed in every order": rf"In every possible order {_SEQUENCES} was formed",
    "not formed": r"Later answers showed that the sequence was not formed here",
    "left open": rf"So {_SEQUENCES} may have been formed: what the monitors know leaves that open",
    "said before": r"It had said that the sequence was possibly formed here",
    "silent": r"The monitors? of (?P<silent>.*) had not answered by then",
    "times": (
        r"It happened at (?P<happened>[\d,.]+) ms, and this was declared at "
        r"(?P<declared>[\d,.]+) ms \((?P<later>[\d,.]+) ms later\)"
    ),
    "undecided": r"An earlier event of the same process was not decided by then",
}

SENTENCES: Final[Mapping[str, re.Pattern[str]]] = {
    kind: re.compile(rf"{pattern}\.") for kind, pattern in _PATTERNS.items()
}
"""By kind. No sentence is of two."""
