"""Words for faults: who is to blame."""

from __future__ import annotations

from collections.abc import Sequence

from choreomon.verify.fault import Fault, Location


def fault_words(fault: Fault) -> str:
    """The kind and the locations of a fault, for a table."""
    return f"{fault.kind}: {', '.join(map(location_name, fault.locations))}"


def fault_sentences(fault: Fault) -> list[str]:
    """Sentences on what is wrong, and with which logs."""
    names = _listed(fault.locations)
    if fault.kind == "LocalError":
        if len(fault.locations) == 1:
            return [f"LocalError: the log of {names} is wrong, whatever happened elsewhere."]
        return [f"LocalError: the logs of {names} are wrong, each whatever happened elsewhere."]
    told = f"{fault.kind}: the logs of {names} do not go together, whatever happened elsewhere"
    if len(fault.locations) > 2:
        told += "; without one of them the others do"
    sentences = [f"{told}."]
    for one, other in fault.pairs:
        if (one, other) != fault.locations:
            sentences.append(f"Nor do those of {_listed((one, other))}.")
    return sentences


def blame_words(fault: Fault, lifelines: Location) -> str:
    """Words on what is wrong with the log of a location; empty if nothing is known."""
    if lifelines not in fault.locations:
        return ""
    if fault.kind == "LocalError":
        return "wrong by itself"
    return f"does not go with {_listed([one for one in fault.locations if one != lifelines])}"


def location_name(lifelines: Location) -> str:
    """The lifelines of a location; several in brackets."""
    return lifelines[0] if len(lifelines) == 1 else f"[{','.join(lifelines)}]"


def _listed(locations: Sequence[Location]) -> str:
    """A list of locations, as in `a, b and c`."""
    *most, last = map(location_name, locations)
    return f"{', '.join(most)} and {last}" if most else last
