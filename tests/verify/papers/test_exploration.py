"""Execution trees (the slices paper, section 7.3; the small-step paper, section 3.3) and what they
generate."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from random import Random
from typing import get_args

import pytest

from choreomon.interaction.denotation import traces
from choreomon.interaction.enabled import Enabled, enabled
from choreomon.interaction.generation import ALL_OPERATORS, random_interaction
from choreomon.interaction.lifelines import mask
from choreomon.interaction.measures import actions_outside_loops, loop_depth
from choreomon.interaction.step import position_text, subterm
from choreomon.interaction.term import (
    EMPTY,
    Interaction,
    act,
    alt,
    coreg,
    loop_h,
    loop_p,
    loop_s,
    loop_w,
    par,
    seq,
    strict,
    subterms,
)
from choreomon.multitrace.projection import discrete, partition, project_trace, trivial
from choreomon.multitrace.slices import is_multi_prefix, slices
from choreomon.verify.papers import exploration as module
from choreomon.verify.papers.exploration import (
    Exploration,
    Generation,
    explore,
    generated_multi_traces,
)
from choreomon.verify.papers.heuristics import STRATEGIES, Filters, Priorities, Strategy
from tests.interaction.drawn import a as do
from tests.interaction.drawn import passing
from tests.verify.steps import counted, without_what_follows

FIGURE_1_OF_PAPER_003 = seq(
    loop_h(
        seq(
            strict(do("a!m1"), do("b?m1")),
            seq(alt(strict(do("b!m2"), do("c?m2")), EMPTY), do("b!m3")),
        ),
    ),
    par(do("a!m1"), strict(do("c!m4"), do("a?m4"))),
)
"""Rebuilt from the positions and steps that the text names; which loop it is, is not said."""

NESTED = loop_s(seq(alt(do("l1!m1"), EMPTY), loop_s(do("l1!m2"))))
"""The example of the slices paper, Appendix B.1, for loop depths."""


def arcs(made: Exploration, number: int) -> list[str]:
    """What leaves a node, as the figures write it: `action@position`."""
    return [
        f"{made.nodes[child].action}@{position_text(made.nodes[child].position)}"
        for child in made.nodes[number].children
    ]


def paths(made: Exploration) -> list[str]:
    return [" ".join(map(str, made.trace(node.number))) for node in made.nodes]


def test_the_tree_of_figure_11_has_three_children_at_its_root() -> None:
    """The small-step paper, Fig. 7, 10 and 11: the frontier, one execution, and one accepted
    trace."""
    made = explore(FIGURE_1_OF_PAPER_003, filters=Filters(max_depth=3))
    assert arcs(made, 0) == ["a!m1@1111", "a!m1@21", "c!m4@221"]
    executed = made.nodes[made.nodes[0].children[2]]
    assert str(executed.interaction) == ("seq(loopH(seq(strict(a!m1,b?m1),b!m3)),par(a!m1,a?m4))")
    ends = [node.number for node in made.nodes if node.interaction is EMPTY]
    assert "a!m1 c!m4 a?m4" in {" ".join(map(str, made.trace(number))) for number in ends}
    assert not made.is_whole


def test_the_tree_of_an_interaction_without_loops_is_whole() -> None:
    """The small-step paper, Fig. 2 and 3: five nodes on the branch with m2, one on the other."""
    small = seq(alt(strict(do("b!m2"), do("c?m2")), EMPTY), do("b!m3"))
    made = explore(small)
    assert made.is_whole
    assert paths(made) == [
        "", "b!m2", "b!m2 c?m2", "b!m2 c?m2 b!m3", "b!m2 b!m3", "b!m2 b!m3 c?m2", "b!m3",
    ]  # fmt: skip
    assert [str(one) for one in generated_multi_traces(made, discrete("bc"))] == [
        "{[b] b!m2.b!m3; [c] c?m2}", "{[b] b!m3; [c]}",
    ]  # fmt: skip


def test_the_maximal_loop_depth_suffices_to_express_every_action() -> None:
    """The slices paper, Fig. 19 and Appendix B.1, with the interaction of that text: m1 is at loop
    depth 1, m2 at 2. The limit of 2 expresses both, the limit of 1 does not."""
    assert loop_depth(NESTED) == 2
    made = explore(NESTED, filters=Filters(max_loop_depth=2))
    assert paths(made) == ["", "l1!m1", "l1!m1 l1!m2", "l1!m1 l1!m1", "l1!m2"]
    assert [node.loop_depth for node in made.nodes] == [0, 1, 2, 2, 2]
    assert "m2" not in " ".join(paths(explore(NESTED, filters=Filters(max_loop_depth=1))))


def test_the_tree_of_figure_19_has_six_arcs() -> None:
    """The slices paper, Fig. 19. The text keeps the six arcs of the picture, not the interaction;
    this one has them, two from the root and four from these, with the limit that is said there."""
    term = seq(loop_s(seq(do("l1!m1"), loop_s(do("l1!m2")))), loop_s(do("l1!m3")))
    made = explore(term, strategy="bfs", filters=Filters(max_loop_depth=loop_depth(term)))
    assert [str(node.action) for node in made.nodes[1:3]] == ["l1!m1", "l1!m3"]
    assert [str(node.action) for node in made.nodes[3:]] == [
        "l1!m2", "l1!m1", "l1!m3", "l1!m3",
    ]  # fmt: skip
    assert [node.depth for node in made.nodes] == [0, 1, 1, 2, 2, 2, 2]


def test_what_a_filter_forbids_is_told_where_it_was_forbidden() -> None:
    made = explore(NESTED, filters=Filters(max_loop_depth=1))
    assert [
        (str(cut.action), position_text(cut.position), cut.filter) for cut in made.nodes[0].pruned
    ] == [("l1!m2", "121", "max_loop_depth")]
    assert {cut.filter for node in made.nodes for cut in node.pruned} == {"max_loop_depth"}
    short = explore(NESTED, filters=Filters(max_depth=1))
    assert paths(short) == ["", "l1!m1", "l1!m2"]
    assert [len(node.pruned) for node in short.nodes] == [0, 3, 3]
    few = explore(NESTED, strategy="bfs", filters=Filters(max_node_number=2))
    assert paths(few) == ["", "l1!m1"]
    assert {cut.filter for node in few.nodes for cut in node.pruned} == {"max_node_number"}


def test_an_infinite_tree_needs_a_limit_and_any_one_is_enough() -> None:
    with pytest.raises(ValueError, match="infinite; limit its depth"):
        explore(NESTED)
    for filters in (
        Filters(max_depth=3),
        Filters(max_loop_depth=3),
        Filters(max_node_number=3),
    ):
        assert not explore(NESTED, filters=filters).is_whole


def test_nothing_is_executed_of_the_empty_interaction() -> None:
    made = explore(EMPTY)
    assert made.is_whole
    assert paths(made) == [""]
    assert [one.length for one in generated_multi_traces(made, ())] == [0]


THREE = par(strict(do("a!m"), do("a!n")), do("b?m"))


@pytest.mark.parametrize(
    ("strategy", "visits"),
    [
        ("dfs", " a an anb ab abn b ba ban"),
        ("bfs", " a b an ab ba anb abn ban"),
        ("hcs", " a an anb b ba ban ab abn"),
    ],
)
def test_strategies_visit_the_same_tree_in_their_own_order(strategy: Strategy, visits: str) -> None:
    """`visits` are the paths, abbreviated: a, n and b for the three actions."""
    short = {"a!m": "a", "a!n": "n", "b?m": "b"}
    made = explore(THREE, strategy=strategy)
    order = ["".join(short[str(action)] for action in made.trace(n.number)) for n in made.nodes]
    assert " ".join(order) == visits


def test_high_coverage_finds_paths_with_short_common_prefixes_early() -> None:
    """The first n ends of paths of a tree share fewer steps than those found depth first."""
    term = par(*(do(f"l{number}!m") for number in range(5)))

    def shared(strategy: Strategy) -> int:
        made = explore(term, strategy=strategy)
        ends = [made.trace(node.number) for node in made.nodes if not node.children][:5]
        pairs = [(one, other) for one in ends for other in ends if one < other]
        return sum(next(n for n in range(len(a) + 1) if a[: n + 1] != b[: n + 1]) for a, b in pairs)

    assert shared("hcs") == 0
    assert shared("dfs") > 10


def test_priorities_change_the_order_of_visits() -> None:
    assert paths(explore(THREE, priorities=Priorities(reception=1)))[:2] == ["", "b?m"]
    looping = par(do("a!m"), loop_s(do("b!m")))
    one = Filters(max_depth=1)
    assert paths(explore(looping, priorities=Priorities(loop=1), filters=one))[1] == "b!m"
    assert paths(explore(looping, priorities=Priorities(loop=-1), filters=one))[1] == "a!m"
    assert paths(explore(looping, filters=one))[1] == "a!m"


def test_a_seed_gives_one_random_order() -> None:
    term = par(*(do(f"l{number}!m") for number in range(4)))
    orders = {
        seed: tuple(paths(explore(term, priorities=Priorities(random_seed=seed))))
        for seed in range(8)
    }
    assert len(set(orders.values())) > 4
    assert all(sorted(order) == sorted(orders[0]) for order in orders.values())
    for seed, order in orders.items():
        assert order == tuple(paths(explore(term, priorities=Priorities(random_seed=seed))))


@pytest.mark.parametrize(
    ("generation", "texts"),
    [
        ("exact", ["", "a!m b?m", "b?m a!m"]),
        ("prefix", ["", "a!m", "a!m b?m", "b?m", "b?m a!m"]),
        ("terminal", ["a!m b?m", "b?m a!m"]),
    ],
)
def test_traces_are_generated_from_accepting_from_all_or_from_last_nodes(
    generation: Generation, texts: list[str]
) -> None:
    made = explore(alt(EMPTY, par(do("a!m"), do("b?m"))))
    found = generated_multi_traces(made, trivial("ab"), generation)
    assert [" ".join(map(str, one.components[0].actions)) for one in found] == texts


def test_a_multi_trace_is_generated_once_however_many_paths_lead_to_it() -> None:
    made = explore(par(do("a!m"), do("b?m")))
    assert [str(one) for one in generated_multi_traces(made, discrete("ab"))] == [
        "{[a] a!m; [b] b?m}"
    ]
    assert len(list(generated_multi_traces(made, trivial("ab")))) == 2


def test_a_partition_has_all_lifelines_of_the_paths() -> None:
    with pytest.raises(ValueError, match="b, which is in no co-localization"):
        list(generated_multi_traces(explore(THREE), discrete("a")))


# -- laws ------------------------------------------------------------------------------------


def interactions(count: int) -> list[Interaction]:
    rng = Random(7)
    return [
        random_interaction(
            rng,
            lifelines=("l1", "l2", "l3"),
            messages=("m", "n"),
            operators=ALL_OPERATORS,
            min_depth=2,
            min_size=3,
            max_size=9,
        )
        for _ in range(count)
    ]


INTERACTIONS = interactions(40)
ONTO = (
    discrete(("l1", "l2", "l3")),
    partition([["l1", "l3"], ["l2"]]),
    trivial(("l1", "l2", "l3")),
)


def what_is_generated_is_what_is_accepted(
    term: Interaction, strategy: Strategy, *, depth: int = 3
) -> bool:
    """`exact` generation up to a depth gives the projections of the accepted traces up to that
    length, by the other semantics."""
    made = module.explore(term, strategy=strategy, filters=Filters(max_depth=depth))
    return all(
        set(generated_multi_traces(made, onto))
        == {project_trace(trace, onto) for trace in traces(term, depth)}
        for onto in ONTO
    )


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_exactly_the_accepted_multi_traces_are_generated(strategy: Strategy) -> None:
    for term in INTERACTIONS:
        assert what_is_generated_is_what_is_accepted(term, strategy), term


def without_the_last(steps: list[Enabled]) -> list[Enabled]:
    return steps[:-1]


@pytest.mark.parametrize("bug", [without_the_last, without_what_follows])
def test_the_law_of_generation_notices_wrong_steps(
    monkeypatch: pytest.MonkeyPatch, bug: Callable[[list[Enabled]], list[Enabled]]
) -> None:
    """Planted bugs: an action is overlooked; what is left after an action is forgotten."""
    monkeypatch.setattr(module, "enabled", lambda term: bug(list(enabled(term))))
    assert not what_is_generated_is_what_is_accepted(strict(do("l1!m"), do("l2?m")), "dfs")


def test_strategies_and_priorities_explore_the_same_tree() -> None:
    for term in INTERACTIONS:
        for filters in (Filters(max_depth=3), Filters(max_loop_depth=2, max_depth=4)):
            expected = sorted(paths(explore(term, filters=filters)))
            for strategy in STRATEGIES:
                for priorities in (Priorities(reception=2, loop=-1), Priorities(random_seed=5)):
                    made = explore(term, strategy=strategy, priorities=priorities, filters=filters)
                    assert sorted(paths(made)) == expected


def test_prefixes_extend_to_accepted_multi_traces_and_terminal_ones_are_among_them() -> None:
    for term in INTERACTIONS:
        if loop_depth(term):
            continue
        made = explore(term)
        of = {g: list(generated_multi_traces(made, ONTO[0], g)) for g in get_args(Generation)}
        assert set(of["exact"]) | set(of["terminal"]) <= set(of["prefix"])
        assert set(of["terminal"]) <= set(of["exact"])
        assert all(any(is_multi_prefix(p, e) for e in of["exact"]) for p in of["prefix"])


def test_the_loop_filter_alone_bounds_the_depth() -> None:
    """The slices paper, Appendix B.2: outside of loops, actions only become fewer."""
    for term in INTERACTIONS:
        made = explore(term, filters=Filters(max_loop_depth=1, max_node_number=2000))
        outside = actions_outside_loops(term)
        within = max(
            (actions_outside_loops(part.left) for part in subterms(term) if part.left is not None),
            default=0,
        )
        assert max(node.depth for node in made.nodes) <= outside + within


def test_parents_and_children_are_each_others() -> None:
    for term in INTERACTIONS:
        made = explore(term, strategy="hcs", filters=Filters(max_depth=3))
        for node in made.nodes:
            assert made.nodes[node.number] is node
            for child in node.children:
                assert made.nodes[child].parent == node.number
                assert made.nodes[child].depth == node.depth + 1
            assert len(made.trace(node.number)) == node.depth
        assert sum(len(node.children) for node in made.nodes) == len(made.nodes) - 1


def test_long_paths_and_deep_terms_are_explored_without_recursion() -> None:
    deep = do("l1!m")
    for _ in range(2000):
        deep = strict(deep, do("l1!m"))
    made = explore(deep, filters=Filters(max_depth=5))
    assert len(made.nodes) == 6
    long = explore(loop_s(do("l1!m")), filters=Filters(max_depth=3000))
    assert len(made.trace(5)) == 5
    assert len(long.trace(3000)) == 3000
    assert len(list(generated_multi_traces(long, discrete(["l1"]), "terminal"))) == 1


def test_parallel_iterations_are_limited_too() -> None:
    made = explore(loop_p(strict(do("l1!m"), do("l2?m"))), filters=Filters(max_loop_depth=2))
    texts = {str(one) for one in generated_multi_traces(made, discrete(["l1", "l2"]))}
    assert texts == {
        "{[l1]; [l2]}", "{[l1] l1!m; [l2] l2?m}", "{[l1] l1!m.l1!m; [l2] l2?m.l2?m}",
    }  # fmt: skip


def test_the_first_model_of_the_slice_experiment_has_16_multi_traces_and_7996_slices() -> None:
    """The slices paper, section 5.5 and Fig. 12 (a): "16 accepted multi-traces on {{l1}, {l2, l3}}
    via exhaustive exploration with <= 3 loop instances", "7996 slices via exhaustive slicing".

    Both numbers are met by the paths to terminal nodes (those with fewer instances, 6 more, are
    no paths to the end of the explored tree), and by counting as slices the windows of every
    component, the empty one once. Where actions repeat, windows coincide: 6100 slices differ.
    """
    model = loop_w(
        seq(
            passing("l1", "m1", "l2"),
            loop_w(
                seq(
                    coreg(mask(["l3"]), passing("l2", "m2", "l3"), passing("l2", "m3", "l3")),
                    passing("l3", "m4", "l2"),
                )
            ),
            passing("l2", "m5", "l1"),
        )
    )
    onto = partition([["l1"], ["l2", "l3"]])
    made = explore(model, filters=Filters(max_loop_depth=3))
    found = set(generated_multi_traces(made, onto, "terminal"))
    assert len(found) == 16
    accepted = set(generated_multi_traces(made, onto))
    assert found < accepted
    assert len(accepted) == 22
    lengths = [[len(part.actions) for part in one.components] for one in found]
    assert sum(prod(n * (n + 1) // 2 + 1 for n in local) for local in lengths) == 7996
    assert sum(len(list(slices(one))) for one in found) == 6100


@pytest.mark.parametrize("operator", [par, alt])
def test_what_remains_is_made_only_of_steps_that_are_taken(
    operator: Callable[..., Interaction], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = counted(monkeypatch, Enabled, "follow_up")
    wide = operator(*(do(f"l{number}!wide") for number in range(300)))
    found = explore(wide, filters=Filters(max_node_number=20))
    assert len(found.nodes) == 20
    assert made.calls == 19
    assert sum(len(node.pruned) for node in found.nodes) > 250
    for node in found.nodes:
        for cut in node.pruned[-2:]:
            assert subterm(node.interaction, position_text(cut.position)) is act(cut.action)
