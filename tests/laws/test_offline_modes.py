"""What holds between the modes, and between those who decide them, beyond brute force.

`tests/verify` compares every decider with brute force on cases that are small enough for it. Here
are longer executions, over all operators and four partitions, whose observations are known for
what they are because they were made from an accepted trace.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from choreomon.core.action import parse_action
from choreomon.interaction.normal import normal
from choreomon.interaction.step import frontier
from choreomon.interaction.term import Interaction, Operator, act, alt, strict
from choreomon.interaction.weakening import weakened
from choreomon.multitrace.multitrace import MultiTrace, component, multi_trace
from choreomon.verify import exact
from choreomon.verify.papers.engine import search
from choreomon.verify.papers.graph import PathStep
from choreomon.verify.papers.heuristics import Filters
from choreomon.verify.papers.options import Options
from choreomon.verify.verdict import MODES, Answer, Mode, Verdict
from choreomon.verify.verifier import Verifier
from tests.laws.observed import Execution, executions, observations

PASS, WEAK_PASS, INCONC, FAIL = Verdict.PASS, Verdict.WEAK_PASS, Verdict.INCONC, Verdict.FAIL
LADDER: tuple[Mode, ...] = ("accept", "prefix", "multiprefix", "slice")

Verdicts = dict[Mode, Verdict]


SEARCHED: dict[Mode, Options] = {
    "test": Options(),
    "simulate": Options(filters=Filters(max_node_number=1000)),
}
"""The papers' search decides these alone: the exact mode that is asked first otherwise would be
compared with itself. Loops within loops are simulated in very many ways."""


def verdicts(term: Interaction, seen: MultiTrace) -> Verdicts:
    """In all modes, without `simulate` where its graph is too large."""
    found = {
        mode: Verifier(term, mode, options=SEARCHED.get(mode)).decide(seen).verdict
        for mode in MODES
    }
    if found["simulate"] is INCONC:
        del found["simulate"]
    return found


def is_ladder(found: Verdicts) -> bool:
    """Each mode passes what the stricter ones pass, and says Pass of what is accepted and of
    nothing else; `test` passes what `prefix` passes; `simulate` passes only slices."""
    climbs = [found[mode].passes for mode in LADDER]
    exact = {verdict is PASS for verdict in found.values()}
    return (
        climbs == sorted(climbs)
        and len(exact) == 1
        and found["test"].passes == found["prefix"].passes
        and (found["slice"].passes or "simulate" not in found or not found["simulate"].passes)
    )


def is_what_it_was_made_as(execution: Execution, rng: Random) -> bool:
    """What was cut out of an accepted trace is found to be that."""
    whole, prefix, multi_prefix, part, *_ = observations(rng, execution)
    term = execution.interaction
    made: tuple[tuple[MultiTrace, Mode], ...] = (
        (whole, "accept"), (prefix, "prefix"), (multi_prefix, "multiprefix"), (part, "slice"),
    )  # fmt: skip
    return all(Verifier(term, mode).decide(seen).verdict.passes for seen, mode in made)


def asked(seed: int, number: int, **bounds: int) -> Iterator[tuple[Interaction, MultiTrace]]:
    """Observations of random executions."""
    rng = Random(seed)
    for execution in executions(seed, number, **bounds):
        for seen in observations(rng, execution):
            yield execution.interaction, seen


def test_each_mode_passes_what_stricter_modes_pass() -> None:
    found = set()
    for term, seen in asked(1, 150):
        answers = verdicts(term, seen)
        assert is_ladder(answers), (term, str(seen), answers)
        found.add(tuple(answers[mode] for mode in LADDER))
    assert found == {
        (PASS, PASS, PASS, PASS),
        (FAIL, WEAK_PASS, WEAK_PASS, WEAK_PASS),
        (FAIL, FAIL, WEAK_PASS, WEAK_PASS),
        (FAIL, FAIL, FAIL, WEAK_PASS),
        (FAIL, FAIL, FAIL, FAIL),
    }


def test_what_was_cut_out_of_an_execution_is_found_to_be_that() -> None:
    rng = Random(2)
    for execution in executions(2, 150, longest=12, largest=20):
        assert is_what_it_was_made_as(execution, rng), execution


PLAIN = Options(
    reduction="none",
    local=None,
    method="search",
    record=True,
    filters=Filters(max_node_number=3000),
)
"""The search without any shortcut."""
PLAIN_TEST = replace(PLAIN, filters=Filters())
"""`test` takes no filters."""


def agrees_with_the_search(term: Interaction, seen: MultiTrace, mode: Mode) -> bool | None:
    """None where the search is too large."""
    plain = search(term, seen, mode, PLAIN)
    if plain.verdict is INCONC or (plain.verdict is WEAK_PASS and plain.reason):
        return None
    return Verifier(term, mode).decide(seen).verdict is plain.verdict


def test_the_verifier_says_what_the_search_without_shortcuts_says() -> None:
    compared = 0
    for term, seen in asked(3, 50):
        for mode in LADDER:
            same = agrees_with_the_search(term, seen, mode)
            assert same is not False, (term, str(seen), mode)
            compared += same is not None
    assert compared > 1000


DIRECT: tuple[Mode, ...] = ("accept", "test")
"""These tell Pass from the others in their own graph."""


def explains(
    term: Interaction, seen: MultiTrace, mode: Mode, verdict: Verdict, path: tuple[PathStep, ...]
) -> bool:
    """Whether a path is an execution of the interaction that looks as observed.

    Every step is one of the small-step semantics; what is observed of it is the multi-trace; and
    what is not observed lies outside of what the mode allows to be missing.
    """
    place = {name: n for n, part in enumerate(seen.components) for name in part.lifelines}
    taken = [0] * len(seen.components)
    ways = {term}
    for step in path:
        assert step.action is not None
        ways = {
            normal(after.follow_up)
            for at in ways
            for after in frontier(at)
            if after.action == step.action
        }
        number = place.get(step.action.lifeline)
        length = 0 if number is None else len(seen.components[number].actions)
        if step.rule == "execute":
            if number is None or seen.components[number].actions[taken[number]] != step.action:
                return False
            taken[number] += 1
        elif number is not None and (
            mode in ("accept", "prefix")
            or 0 < taken[number] < length
            or (mode == "multiprefix" and taken[number] < length)
        ):
            return False
    consumed = taken == [len(part.actions) for part in seen.components]
    observed = all(step.rule == "execute" for step in path)
    accepted = observed and any(way.terminates for way in ways)
    return bool(ways) and consumed and (verdict is not PASS or accepted)


def test_what_decided_a_search_can_be_executed_and_looks_as_observed() -> None:
    replayed = 0
    for term, seen in asked(4, 25):
        for mode in MODES:
            result = search(term, seen, mode, PLAIN_TEST if mode == "test" else PLAIN)
            # Pass after WeakPass comes from a check of its own, which reduces.
            if result.verdict is WEAK_PASS or (result.verdict is PASS and mode in DIRECT):
                replayed += 1
                assert explains(term, seen, mode, result.verdict, result.path), (term, seen, mode)
    assert replayed > 150


# -- the laws notice --------------------------------------------------------------------------


def do(text: str) -> Interaction:
    return act(parse_action(text))


def multi(**local: str) -> MultiTrace:
    return multi_trace(
        component(names.split("_"), [parse_action(word) for word in text.split()])
        for names, text in local.items()
    )


PASSING = strict(do("l1!a"), do("l2?a"))


def test_the_ladder_notices_a_mode_that_calls_everything_weak(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Planted bug: `slice` never asks whether a slice is accepted."""
    seen = multi(l1="l1!a", l2="l2?a")
    assert is_ladder(verdicts(PASSING, seen))
    right = Verifier.decide

    def never_sure(self: Verifier, *arguments: object) -> Answer:
        answer = right(self, *arguments)  # type: ignore[arg-type]
        weaker = self.mode == "slice" and answer.verdict is PASS
        return answer._replace(verdict=WEAK_PASS) if weaker else answer

    monkeypatch.setattr(Verifier, "decide", never_sure)
    assert not is_ladder(verdicts(PASSING, seen))


def test_the_ladder_notices_strict_prefixes_that_are_taken_for_weak_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Planted bug: the weak form of an interaction answers for prefixes of the strict one, so
    `prefix` passes what `test` does not."""
    seen = multi(l1="", l2="l2?a")
    assert is_ladder(verdicts(PASSING, seen))

    monkeypatch.setattr(exact, "normal", lambda term: normal(weakened(term)))
    assert not is_ladder(verdicts(PASSING, seen))


def test_the_law_of_cuts_notices_a_choice_that_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted bug: deciders drop the second branch of a choice."""
    right = exact.normal

    def first_branch(term: Interaction) -> Interaction:
        chosen = term.left if term.operator is Operator.ALT else term
        assert chosen is not None
        return right(chosen)

    term = alt(PASSING, strict(do("l1!b"), do("l2?b")))
    trace = (parse_action("l1!b"), parse_action("l2?b"))
    execution = Execution(term, trace, (("l1", "l2"),))
    assert is_what_it_was_made_as(execution, Random(5))
    monkeypatch.setattr(exact, "normal", first_branch)
    assert not is_what_it_was_made_as(execution, Random(5))


def test_the_law_of_deciders_notices_one_that_takes_strict_for_weak(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Planted bug: as before, but only the search is there to notice."""
    seen = multi(l1="", l2="l2?a")
    assert agrees_with_the_search(PASSING, seen, "prefix")
    monkeypatch.setattr(exact, "normal", lambda term: normal(weakened(term)))
    assert not agrees_with_the_search(PASSING, seen, "prefix")


@pytest.mark.parametrize(
    ("steps", "is_one"),
    [
        ("simulate l1!a, execute l1!b, execute l1!c", True),
        ("execute l1!b, simulate l1!a, execute l1!c", False),  # the interaction cannot do that
        ("execute l1!a, execute l1!b, execute l1!c", False),  # and that was not observed
        ("simulate l1!a, execute l1!b", False),  # nor was it all
    ],
)
def test_the_law_of_replays_notices_a_path_that_explains_nothing(steps: str, is_one: bool) -> None:
    term = strict(do("l1!a"), do("l1!b"), do("l1!c"))
    path = []
    for step in steps.split(", "):
        rule, action = step.split()
        path.append(
            PathStep("execute" if rule == "execute" else "simulate", parse_action(action), None)
        )
    assert explains(term, multi(l1="l1!b l1!c"), "slice", WEAK_PASS, tuple(path)) is is_one


def test_the_law_of_replays_notices_a_gap_in_what_was_observed() -> None:
    term = strict(do("l1!a"), do("l1!b"), do("l1!c"))
    path = tuple(
        PathStep("simulate" if name == "b" else "execute", parse_action(f"l1!{name}"), None)
        for name in "abc"
    )
    assert not explains(term, multi(l1="l1!a l1!c"), "slice", WEAK_PASS, path)
