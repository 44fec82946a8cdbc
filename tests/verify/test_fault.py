"""Faults against brute force: every set of locations, and areas as they are defined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, combinations

import pytest

from choreomon.automata.automaton import Automaton, automaton, members
from choreomon.automata.logs import WHOLE, Log, Missing
from choreomon.automata.reference import explains
from choreomon.automata.semi_centralized import LocalVerifiers
from choreomon.core.action import emission
from choreomon.interaction.denotation import traces
from choreomon.interaction.term import Interaction
from choreomon.multitrace.multitrace import MultiTrace, component, multi_trace
from choreomon.multitrace.projection import project_trace
from choreomon.verify import blame, fault
from choreomon.verify.automaton_verifier import AUTOMATON_MODES, MISSING
from choreomon.verify.blame import Blame
from choreomon.verify.fault import Fault, Location, Unexplained, smallest
from choreomon.verify.verdict import Mode, Verdict
from tests.automata.asked import cases, longer_cases, wide_cases
from tests.verify.exact_cases import EXACT_MODES, multi, passing, questions
from tests.verify.oracle import sufficient_length

Sets = list[tuple[int, ...]]


def unexplained_sets(count: int, explained: Callable[[Sequence[int]], bool]) -> Sets:
    """All of them, the smaller ones first."""
    every = chain.from_iterable(combinations(range(count), size) for size in range(1, count + 1))
    return [chosen for chosen in every if not explained(chosen)]


def every_location(one: Automaton, logs: Sequence[Log]) -> list[tuple[Location, Log | None]]:
    told = {name for own, _ in logs for name in own}
    return [
        *((tuple(own), (own, actions)) for own, actions in logs),
        *(((name,), None) for name in one.lifelines if name not in told),
    ]


def brute_force(one: Automaton, logs: Sequence[Log], missing: Missing) -> tuple[str, Sets]:
    """The kind of the fault, empty where there is none, and all sets that are unexplained."""
    locations = every_location(one, logs)

    def explained(chosen: Sequence[int]) -> bool:
        free = [name for n, (own, _) in enumerate(locations) if n not in chosen for name in own]
        asked = [log for n, (_, log) in enumerate(locations) if n in chosen and log is not None]
        return explains(one, asked, missing, free)

    sets = unexplained_sets(len(locations), explained)
    if not sets:
        return "", sets
    if len(sets[0]) == 1:
        return "LocalError", sets
    shared = set(range(len(one.edges)))
    for own, log in locations:
        shared &= area(one, own, log[1] if log else (), missing if log else WHOLE)
    left = automaton(
        [(s, one.letters[by], t) for n, (s, by, t) in enumerate(one.edges) if n in shared],
        initial=members(one.initial),
        final=members(one.final),
        states=one.states,
    )
    nowhere = explains(left, [], WHOLE, left.lifelines) is False
    return "InterError" if nowhere else "CentralError", sets


def area(one: Automaton, own: Location, actions: Sequence[object], missing: Missing) -> set[int]:
    """Definitions 6 to 8: the edges of all paths that read a beginning of a log, with the letters
    of others free."""
    pending = [(state, 0) for state in members(one.initial)]
    seen, found = set(pending), set()
    while pending:
        state, place = pending.pop()
        for edge in one.outgoing[state]:
            _, letter, target = one.edges[edge]
            action = one.letters[letter]
            places = set()
            if place < len(actions) and actions[place] == action:
                places.add(place + 1)
            if (
                action.lifeline not in own
                or (missing.before and not place)
                or (missing.after and place == len(actions))
            ):
                places.add(place)
            if places:
                found.add(edge)
            for there in places:
                if (target, there) not in seen:
                    seen.add((target, there))
                    pending.append((target, there))
    return found


def is_right(found: Fault | None, kind: str, sets: Sets, locations: list[Location]) -> bool:
    if found is None or not kind:
        return found is None and not kind
    places = tuple(locations.index(one) for one in found.locations)
    if found.kind != kind or list(places) != sorted(places):
        return False
    if kind == "LocalError":
        return [(place,) for place in places] == [one for one in sets if len(one) == 1]
    twos = [one for one in sets if len(one) == 2]
    told = [tuple(locations.index(one) for one in pair) for pair in found.pairs]
    return (
        places in sets
        and not any(set(other) < set(places) for other in sets)
        and (not twos or places in twos)
        and told == (twos if kind == "InterError" else [])
    )


def drawn(number: int, first: int = 0) -> Iterator[tuple[Automaton, list[Log]]]:
    yield from cases(number, first)
    yield from longer_cases(number // 4, first)
    yield from wide_cases(3 * number, first)


def disagreements(number: int, first: int = 0) -> tuple[int, Counter[tuple[str, str, int]]]:
    """How many faults are wrong; and how often there was which, in which mode, of how many
    locations."""
    wrong = 0
    met: Counter[tuple[str, str, int]] = Counter()
    last: Automaton | None = None
    for one, logs in drawn(number, first):
        if one is not last:
            last, blames = one, {mode: Blame(one, mode) for mode in AUTOMATON_MODES}
        seen = MultiTrace(tuple(component(own, actions) for own, actions in logs))
        locations = [own for own, _ in every_location(one, seen.components)]
        for mode in AUTOMATON_MODES:
            kind, sets = brute_force(one, seen.components, MISSING[mode])
            found = blames[mode].fault(seen)
            wrong += not is_right(found, kind, sets, locations)
            met[mode, kind, 0 if found is None else len(found.locations)] += 1
            literal = LocalVerifiers(one).decide(seen.components, MISSING[mode])
            wrong += (literal.error or "") != kind
    return wrong, met


def test_faults_are_those_of_brute_force_and_sets_really_are_smallest() -> None:
    wrong, met = disagreements(150)
    assert wrong == 0
    kinds = Counter(kind for _, kind, _ in met.elements())
    assert min(kinds[kind] for kind in ("LocalError", "InterError", "CentralError")) > 50, kinds
    sizes = Counter(
        size for _, kind, size in met.elements() if kind in ("InterError", "CentralError")
    )
    assert min(sizes[2], sizes[3]) > 20, sizes


def is_noticed() -> bool:
    """Whether any fault is wrong, as far as needed."""
    return any(disagreements(1, first)[0] for first in range(60))


def leaves_out_too_much(count: int, unexplained: Unexplained) -> tuple[int, ...]:
    found = smallest(count, unexplained)
    return found[:-1] if len(found) > 2 else found


def leaves_out_too_little(count: int, unexplained: Unexplained) -> tuple[int, ...]:
    return tuple(range(count))


def takes_any_pair(count: int, unexplained: Unexplained) -> tuple[int, ...]:
    return (0, 1)


@pytest.mark.parametrize("planted", [leaves_out_too_much, leaves_out_too_little, takes_any_pair])
def test_sets_that_are_not_smallest_are_noticed(
    planted: Callable[..., tuple[int, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blame, "smallest", planted)
    assert is_noticed()


def test_missing_pairs_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blame, "pairs", lambda *asked: fault.pairs(*asked)[:1])
    assert is_noticed()


def test_wrong_areas_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blame, "intersection", lambda areas: next(iter(areas)))
    assert is_noticed()


# ---------------------------------------------------------------- by the exact search


def brute_force_of_traces(
    interaction: Interaction, seen: MultiTrace, mode: Mode, length: int
) -> Sets:
    onto = tuple(part.lifelines for part in seen.components)
    known = [project_trace(trace, onto).components for trace in traces(interaction, length)]

    def fits(log: tuple[object, ...], whole: tuple[object, ...]) -> bool:
        if mode == "accept":
            return log == whole
        starts = range(len(whole) + 1) if mode == "slice" else (0,)
        return any(log == whole[start : start + len(log)] for start in starts)

    def explained(chosen: Sequence[int]) -> bool:
        return any(
            all(fits(tuple(seen.components[n].actions), tuple(parts[n].actions)) for n in chosen)
            for parts in known
        )

    return unexplained_sets(len(onto), explained)


@pytest.mark.parametrize("small", [True, False])
def test_faults_of_interactions_are_those_of_brute_force(
    small: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not small:
        monkeypatch.setattr(blame, "small_automaton", lambda interaction: None)
    met: Counter[str] = Counter()
    for seed in range(200):
        blames: dict[Mode, Blame] = {}
        for asked in questions(seed, EXACT_MODES):
            interaction, seen, mode, verdict = asked
            if mode not in blames:
                blames[mode] = Blame(interaction, mode)
            found = blames[mode].fault(seen)
            assert (found is None) is (verdict is not Verdict.FAIL)
            if found is None:
                continue
            length = sufficient_length(interaction, seen.length)
            sets = brute_force_of_traces(interaction, seen, mode, length)
            locations = [part.lifelines for part in seen.components]
            met[found.kind] += 1
            if mode == "prefix" and not sets:
                assert found == Fault("CentralError", tuple(locations))
                met["moment"] += 1
                continue
            kind = "LocalError" if len(sets[0]) == 1 else found.kind
            assert is_right(found, kind, sets, locations), (interaction, seen, mode, found, sets)
    assert min(met["LocalError"], met["CentralError"]) > 50, met
    assert met["moment"] > 3
    assert (met["InterError"] > 0) is small


# ---------------------------------------------------------------- by hand

CHOICE = automaton(
    [
        (0, emission("a", "x"), 1),
        (1, emission("b", "x"), 3),
        (0, emission("a", "y"), 2),
        (2, emission("b", "y"), 3),
        (3, emission("c", "z"), 4),
    ],
    initial=[0],
    final=[4],
)


def test_what_faults_look_like() -> None:
    blamed = Blame(CHOICE, "accept")
    assert blamed.fault(multi(a="a!x", b="b!x", c="c!z")) is None
    wrong = blamed.fault(multi(a="a!x a!x", b="b!x", c=""))
    assert wrong == Fault("LocalError", (("a",), ("c",)))
    assert wrong.as_json() == {"kind": "LocalError", "locations": [["a"], ["c"]]}
    assert blamed.fault(multi(a="a!x", b="b!x")) == Fault("LocalError", (("c",),))
    apart = blamed.fault(multi(a="a!x", c="c!z", b="b!y"))
    assert apart == Fault("InterError", (("a",), ("b",)), ((("a",), ("b",)),))
    assert apart.as_json() == {
        "kind": "InterError",
        "locations": [["a"], ["b"]],
        "pairs": [[["a"], ["b"]]],
    }
    turns = automaton(
        [(0, emission("a", "m"), 1), (1, emission("b", "n"), 0)], initial=[0], final=[0]
    )
    blamed = Blame(turns, "accept")
    late = multi(a="a!m a!m", b="b!n")
    assert blamed.fault(late) == Fault("CentralError", (("a",), ("b",)))
    assert Blame(turns, "accept", should_stop=lambda: "TimedOut").fault(late) is None


def test_too_much_work_is_not_done(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = multi(a="a!x", b="b!y", c="c!z")
    monkeypatch.setattr(blame, "MOST_WORK", 1)
    assert Blame(CHOICE, "accept").fault(seen) is None


def test_names_of_ends_are_not_those_of_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blame, "small_automaton", lambda interaction: None)
    blamed = Blame(passing("a", "end", "b"), "accept")
    assert blamed.fault(multi(a="a!end", b="b?end")) is None
    assert blamed.fault(multi(a="a!end", b="")) == Fault("LocalError", (("b",),))
    assert blamed.fault(multi_trace([component(["z"], [emission("z", "z")])])) == Fault(
        "LocalError", (("z",), ("a",), ("b",))
    )
