"""The sets of rules by their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from choreomon.monitor.precise import PRECISE
from choreomon.monitor.record_by_record import PAPER, SOUND, RecordByRecord
from choreomon.monitor.rules import Rules
from choreomon.properties.tables import RulesName

RULES: Final[Mapping[RulesName, Rules]] = {"precise": PRECISE, "sound": SOUND, "paper": PAPER}

WITHOUT_INQUIRIES: Final[Mapping[RulesName, RecordByRecord]] = {
    "precise": SOUND,
    "sound": SOUND,
    "paper": PAPER,
}
"""Those by which `push` and `central` judge. They ask nobody, so nobody a second time; what they
are told of later takes its place, and `sound` rules are the nearest."""
