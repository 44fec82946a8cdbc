"""`.hcf` files and their JSON: the figures, defaults, names old and new, errors, round trips."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choreomon.core.errors import DocumentError
from choreomon.hibou.configuration import (
    HIBOU_CRITERIA,
    REWRITINGS,
    AnalyzeOptions,
    CanonizeOptions,
    Configuration,
    ExploreOptions,
    GraphicLogger,
    TraceGenerationLogger,
)
from choreomon.hibou.configuration_reader import read_configuration
from choreomon.interaction_files.configuration_json import (
    read_configuration_json,
    write_configuration_json,
)
from choreomon.verify.papers.heuristics import STRATEGIES, Filters, Priorities
from choreomon.verify.papers.options import LocalAnalyses, Options, SimulationCriteria
from choreomon.verify.verdict import MODES, Verdict
from tests.hibou.samples import FIGURE_17, FIGURE_18, LIFELINES


def analyze(entries: str) -> AnalyzeOptions:
    options = read_configuration(f"@analyze_option{{ {entries} }}").analyze
    assert options is not None
    return options


def test_figures_17_and_18_of_the_slices_paper() -> None:
    assert read_configuration(FIGURE_17 + FIGURE_18) == Configuration(
        analyze=AnalyzeOptions(
            mode="simulate",
            simulation=HIBOU_CRITERIA._replace(
                before=True, loops="max_depth", reset=True, multiply=False, actions=10
            ),
            strategy="dfs",
            priorities=Priorities(simulation=-1),
            goal=Verdict.WEAK_PASS,
            loggers=(GraphicLogger(format="svg"),),
        ),
        explore=ExploreOptions(
            strategy="hcs",
            filters=Filters(max_depth=35, max_loop_depth=4, max_node_number=250),
            priorities=Priorities(random_seed=0),
            loggers=(
                GraphicLogger(format="svg", layout="vertical"),
                TraceGenerationLogger(generation="exact", partition=(("l1", "l2"), ("l3",))),
            ),
        ),
    )


def test_defaults_without_a_section_and_within_one_differ_as_in_hibou() -> None:
    assert AnalyzeOptions() == AnalyzeOptions(
        mode="prefix",
        goal=Verdict.WEAK_PASS,
        local_analysis=LocalAnalyses("dirty", None),
        reduction="none",
        strategy="dfs",
        memoize=True,
    )
    assert analyze("") == AnalyzeOptions(strategy="bfs")
    assert ExploreOptions().filters == Filters(max_loop_depth=1)
    assert read_configuration("@explore_option{}").explore == ExploreOptions(filters=Filters())
    assert read_configuration("@canonize_option{ search_all }").canonize == CanonizeOptions(
        search_all=True
    )


def test_a_section_is_a_search_with_what_it_says() -> None:
    assert analyze("").search() == Options(
        strategy="bfs", goal=Verdict.WEAK_PASS, reduction="none", criteria=HIBOU_CRITERIA
    )
    said = (
        "analysis_kind = simulate[before = true, reset = true, act max num]; strategy = DFS; "
        "partial_order_reduction = true; goal = Pass"
    )
    assert analyze(said).search("removal") == Options(method="removal")
    with pytest.raises(ValueError, match="Fail is no goal"):
        AnalyzeOptions(goal=Verdict.FAIL).search()


def test_criteria_that_json_leaves_out_are_those_of_hibou() -> None:
    said = {"kind": "configuration", "analyze": {"mode": "simulate", "simulation": {"loops": 3}}}
    read = read_configuration_json(json.dumps(said)).analyze
    assert read is not None
    assert read.simulation == HIBOU_CRITERIA._replace(loops=3)


@pytest.mark.parametrize(
    ("entries", "field", "value"),
    [
        ("analysis_kind = accept", "mode", "accept"),
        ("semantics = prefix", "mode", "prefix"),
        ("analysis_kind = eliminate", "mode", "multiprefix"),
        ("analysis_kind = hide", "mode", "multiprefix"),
        ("analysis_kind = slice;", "mode", "slice"),
        ("analysis_kind = simulate", "simulation", HIBOU_CRITERIA),
        (
            "analysis_kind = simulate[slice=true, resized = TRUE, reinitialize=⊤, loop max_num]",
            "simulation",
            HIBOU_CRITERIA._replace(before=True, multiply=True, reset=True, loops="max_num"),
        ),
        (
            "analysis_kind = simulate[preamble=⊥,dependent=False,loop num = 3,act max num,]",
            "simulation",
            HIBOU_CRITERIA._replace(loops=3, actions="max_num"),
        ),
        (
            "analysis_kind = simulate[loop none, act none]",
            "simulation",
            HIBOU_CRITERIA._replace(loops=None, actions=None),
        ),
        ("goal = Pass", "goal", Verdict.PASS),
        ("goal = None", "goal", None),
        ("local_analysis = none", "local_analysis", None),
        ("local_analysis = false", "local_analysis", None),
        ("local_analysis = true", "local_analysis", LocalAnalyses()),
        (
            "local_analysis = [select=all, max_look_ahead_depth=3]",
            "local_analysis",
            LocalAnalyses("all", 3),
        ),
        ("local_analysis = [lookahead=none]", "local_analysis", LocalAnalyses()),
        ("partial_order_reduction = true", "reduction", "sound"),
        ("por = false", "reduction", "none"),
        ("POR = paper", "reduction", "paper"),
        ("strategy = Breadth First Search", "strategy", "bfs"),
        ("strategy = DepthFS", "strategy", "dfs"),
        ("strategy = High Coverage Search", "strategy", "hcs"),
        ("filters = [max depth=1,max loop depth=2]", "filters", Filters(1, 2)),
        ("memoize = false", "memoize", False),
        ("priorities = [emission=-1,elim=2,multi_rdv=1]", "priorities", Priorities(-1, 0, 0, 2)),
        ("priorities = rand", "priorities", Priorities(random_seed=0)),
        ("priorities = [randomize=true]", "priorities", Priorities(random_seed=0)),
        (
            "loggers = [graphic, tracegen[prefix, prefix=t, folder=f]]",
            "loggers",
            None,
        ),
        (
            "loggers = [graphic[format=png,layout=horizontal,draw_sd=false,output=x],tracegen]",
            "loggers",
            (
                GraphicLogger("png", "horizontal", draw_sd=False, name="x"),
                TraceGenerationLogger(),
            ),
        ),
        (
            "loggers = [tracegen[terminal, partition=discrete, trace_prefix=t, parent=f]]",
            "loggers",
            (TraceGenerationLogger("terminal", "discrete", "f", "t"),),
        ),
    ],
)
def test_options_by_all_their_names(entries: str, field: str, value: object) -> None:
    if value is None and field == "loggers":
        with pytest.raises(DocumentError, match="`prefix` stands here for the second time"):
            analyze(entries)
    else:
        assert getattr(analyze(entries), field) == value


@pytest.mark.parametrize(
    ("written", "problems"),
    [
        ("", [(0, "is empty: expected `@analyze_option{..}`")]),
        ("@explore_option{} x", [(1, "expected `@analyze_option`, `@explore_option`")]),
        ("@explore_option{}\n@explore_option{}", [(2, "`@explore_option` stands here for the")]),
        ("@analyze_option{ goal = Pass", [(1, "expected `;` or `}` after an option, found the")]),
        ("@analyze_option{ goal Pass = x }", [(1, "unknown option 'goal_Pass'; expected")]),
        (
            "@analyze_option{ semantics = prefix; analysis_kind = simulate[loop num = 1,\n"
            "loop max depth, before = true, slice = true] }",
            [
                (1, "`analysis_kind` and `semantics` mean the same option"),
                (2, "`loop_max_depth` and `loop_num` mean the same option"),
                (2, "`slice` and `before` mean the same option"),
            ],
        ),
        ("@analyze_option{ goal = }", [(1, "expected a value, found '}'")]),
        ("@analyze_option{ x = [[1]] }", [(1, "expected an option, found '['")]),
        ("@analyze_option{ x=[a[b[c[d[e]]]]] }", [(1, "lists are nested too deeply")]),
        ("@analyze_option{ x=1234567890123456789 }", [(1, "expected a number of at most 18")]),
        ("@analyze_option{ x=- }", [(1, "expected a number of at most 18 digits, found '}'")]),
        ("@analyze_option{ x={a} }", [(1, "expected `(` and lifelines, found 'a'")]),
        ("@analyze_option{ x={(a)( }", [(1, "expected `,` or `}`, found '('")]),
        (
            "@analyze_option{\nanalysis_kind = foo;\ngoal = 3;\ngoal = Pass;\n"
            "filters = [max_depth=-1];\npriorities = [emission = x];\nmemoize = 1;\n"
            "local_analysis = [select=some, modulo=2]\n}",
            [
                (2, "unknown analysis_kind 'foo'; expected accept, prefix"),
                (3, "unknown goal 3; expected pass, weakpass, none"),
                (4, "`goal` stands here for the second time"),
                (5, "`max_depth` is a number from 0 on"),
                (6, "`emission` is a number"),
                (7, "`memoize` is true or false"),
                (8, "unknown select 'some'; expected all, dirty"),
                (8, "`modulo` is not supported"),
            ],
        ),
        (
            "@analyze_option{ analysis_kind=accept[before=true]; filters=3; local_analysis=x;"
            "loggers=[nfa,foo,graphic[svg=1],tracegen[generation=exact depth 3,folder=3,"
            "partition={(a),(a)}],tracegen[partition=x]] }",
            [
                (1, "`accept` has no options"),
                (1, "expected a list of filters in `[` and `]`"),
                (1, "expected a list of settings, or none, in `[` and `]`"),
                (1, "the logger `nfa` is not supported"),
                (1, "unknown logger 'foo'"),
                (1, "this criterion of `format` has no value"),
                (1, "unknown generation 'exact_depth'"),
                (1, "`folder` is a name"),
                (1, "a lifeline stands twice in the partition"),
                (1, "unknown partition 'x'"),
            ],
        ),
        (
            "@analyze_option{ analysis_kind=3; strategy=0; goal=[max_depth=1] }",
            [
                (1, "unknown analysis_kind 3; expected"),
                (1, "unknown strategy 0; expected"),
                (1, "unknown goal a list; expected"),
            ],
        ),
        (
            "@explore_option{ priorities=[simu=1]; goal=Pass }",
            [(1, "unknown option 'simu'"), (1, "unknown option 'goal'")],
        ),
    ],
)
def test_everything_that_is_wrong_is_told(written: str, problems: list[tuple[int, str]]) -> None:
    with pytest.raises(DocumentError) as caught:
        read_configuration(written)
    found = caught.value.problems
    assert [problem.line for problem in found] == [line for line, _ in problems]
    for problem, (_, said) in zip(found, problems, strict=True):
        assert problem.message.startswith(said)


# ---------------------------------------------------------------- round trips

limits = st.none() | st.integers(0, 10**9)
filters = st.builds(Filters, limits, limits, limits)
levels = st.integers(-99, 99)
labels = st.sampled_from(["", "x", "trace_1"])
partitions = st.sampled_from(["discrete", "trivial"]) | st.lists(
    st.lists(st.sampled_from(LIFELINES), min_size=1, max_size=2, unique=True).map(tuple),
    min_size=1,
    max_size=1,
).map(tuple)
flags = st.booleans()
loggers = st.lists(
    st.builds(
        GraphicLogger,
        st.sampled_from(["svg", "png"]),
        st.sampled_from(["vertical", "horizontal"]),
        *(flags, flags, flags, flags, labels, labels),
    )
    | st.builds(
        TraceGenerationLogger,
        st.sampled_from(["exact", "prefix", "terminal"]),
        *(partitions, labels, labels),
    ),
    max_size=2,
).map(tuple)
general = {
    "strategy": st.sampled_from(STRATEGIES),
    "filters": filters,
    "memoize": flags,
    "loggers": loggers,
}
simulations = st.builds(
    SimulationCriteria,
    *(flags, flags, flags),
    limits | st.sampled_from(["max_depth", "max_num"]),
    limits | st.just("max_num"),
)
analyses = st.builds(
    AnalyzeOptions,
    mode=st.sampled_from(MODES),
    simulation=simulations,
    goal=st.sampled_from([None, Verdict.PASS, Verdict.WEAK_PASS]),
    local_analysis=st.none() | st.builds(LocalAnalyses, st.sampled_from(["all", "dirty"]), limits),
    reduction=st.sampled_from(["none", "paper", "sound"]),
    priorities=st.builds(Priorities, *[levels] * 5, st.sampled_from([None, 0])),
    **general,
).map(lambda o: o if o.mode == "simulate" else replace(o, simulation=HIBOU_CRITERIA))
explorations = st.builds(
    ExploreOptions,
    priorities=st.builds(
        Priorities, levels, levels, levels, st.just(0), st.just(0), st.sampled_from([None, 0])
    ),
    **general,
)
canonizations = st.builds(
    CanonizeOptions,
    search_all=flags,
    randomize=flags,
    priorities=st.dictionaries(st.sampled_from(REWRITINGS), levels).map(
        lambda found: tuple(sorted(found.items()))
    ),
    **general,
)
configurations = st.builds(
    Configuration, st.none() | analyses, st.none() | explorations, st.none() | canonizations
).filter(lambda configuration: configuration != Configuration())


@settings(max_examples=40)
@given(configurations)
def test_reading_what_was_written_gives_the_configuration_back(
    configuration: Configuration,
) -> None:
    assert read_configuration_json(write_configuration_json(configuration)) == configuration


@pytest.mark.parametrize(
    ("document", "fields"),
    [
        ({}, ["kind", ""]),
        ({"kind": "configuration"}, [""]),
        ({"kind": "configuration", "analyse": {}}, ["analyse", ""]),
        ({"kind": "configuration", "analyze": []}, ["analyze"]),
        ({"kind": "configuration", "analyze": {"mood": 1}}, ["analyze.mood"]),
        ({"kind": "configuration", "analyze": {"mode": "x"}}, ["analyze.mode"]),
        ({"kind": "configuration", "explore": {"memoize": 1}}, ["explore.memoize"]),
        (
            {"kind": "configuration", "explore": {"filters": {"max_depth": "1"}}},
            ["explore.filters.max_depth"],
        ),
        ({"kind": "configuration", "explore": {"loggers": {}}}, ["explore.loggers"]),
        ({"kind": "configuration", "explore": {"loggers": [{}]}}, ["explore.loggers[0]"]),
        (
            {"kind": "configuration", "explore": {"loggers": [{"logger": "graphic", "x": 1}]}},
            ["explore.loggers[0].x"],
        ),
    ],
)
def test_json_that_is_no_configuration_is_told_with_its_field(
    document: dict[str, object], fields: list[str]
) -> None:
    with pytest.raises(DocumentError) as caught:
        read_configuration_json(json.dumps(document))
    assert [problem.field for problem in caught.value.problems] == fields
    assert all(problem.line == 1 for problem in caught.value.problems)


@pytest.mark.parametrize(
    ("section", "option", "value", "said"),
    [
        ("analyze", "mode", "x", "should be 'accept', 'test', 'prefix', 'multiprefix', 'simulate'"),
        ("analyze", "goal", "Perhaps", "should be 'Pass', 'WeakPass', 'Inconc', 'WeakFail' or"),
        ("analyze", "memoize", 1, "should be true or false, not 1"),
        ("analyze", "filters", [1], "should be a mapping, not a list of 1"),
        ("analyze", "filters", {"max": 1}, "is no option; expected max_depth, max_loop_depth, max"),
        ("analyze", "filters", {"max_depth": 1.5}, "should be an integer, not 1.5"),
        ("analyze", "simulation", {"loops": "x"}, "should be 'max_depth' or 'max_num' or an integ"),
        ("explore", "loggers", [{"logger": "graphic", "folder": 3}], "should be text, not 3"),
        ("explore", "loggers", [{"logger": "graphic", "x": 3}], "is no option; expected format"),
        ("explore", "loggers", [{"logger": "tracegen", "partition": 3}], "or a list, not 3"),
    ],
)
def test_what_would_be_right_in_json_is_said_in_our_words(
    section: str, option: str, value: object, said: str
) -> None:
    document = {"kind": "configuration", section: {option: value}}
    with pytest.raises(DocumentError) as caught:
        read_configuration_json(json.dumps(document))
    (problem,) = caught.value.problems
    assert said in problem.message
    assert problem.field.startswith(f"{section}.{option}")
