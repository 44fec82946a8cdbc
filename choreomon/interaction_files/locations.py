"""The locations of an automaton's letters, for letters that are no actions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from choreomon.core.action import Action
from choreomon.core.suggestion import did_you_mean


@dataclass(frozen=True)
class Locations:
    """Locations of letters: the action of each letter, and the names of all locations. `file` is
    where they come from."""

    actions: Mapping[str, Action]
    names: tuple[str, ...]
    file: str

    def strange(self, letters: Mapping[str, object]) -> str:
        """Name what is wrong with these as the letters of an automaton; empty if nothing is."""
        for letter in letters:
            if letter not in self.actions:
                near = did_you_mean(letter, self.actions)
                return f"the letter {letter!r} is in no location of {self.file}{near}"
        for letter, action in self.actions.items():
            if letter not in letters:
                near = did_you_mean(letter, letters)
                told = f"{self.file} has the letter {letter!r} in {action.lifeline}"
                return f"{told}, which this automaton has not{near}: take it out there"
        return ""
