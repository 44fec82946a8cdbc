"""What the tests of HIBOU's files share: sample texts, and random values."""

from __future__ import annotations

from pathlib import Path

from hypothesis import strategies as st

from choreomon.core.action import Action
from choreomon.hibou.signature import Signature
from choreomon.interaction.lifelines import ALL, NONE, mask
from choreomon.interaction.term import EMPTY, Interaction, Operator, act, make
from choreomon.multitrace.multitrace import MultiTrace, component, multi_trace

MODELS = Path(__file__).parents[1] / "data" / "offline" / "models"
MODEL_NAMES = ("abp", "mqtt", "rover", "slices_i1", "slices_i2")

LIFELINES = ("a", "b", "o", "seq")
MESSAGES = ("m", "n", "o", "loopS")
"""Names that are operators too: what follows them tells them apart."""
SIGNATURE = Signature(LIFELINES, MESSAGES)

FIGURE_14 = """@message{
m1;m2;m3;m4;m5
}
@lifeline{
l1;l2;l3
}
"""
FIGURE_15 = """seq(
  coreg(l2)(
    alt(
      l1 -- m1 -> (l2,l3),
      o
    ),
    loopW(
      alt(
        l1 -- m2 -> l2,

        l2 -- m3 -> l3
    ) )
  ),
  loopP(
    seq(
      l3 -- m4 -> l2,
      l2 -- m5 -> l3
) ) )
"""
FIGURE_16 = """[#any] l1!m1.l2?m1.l2?m4;
[l3] l3?m1.l3!m4
"""
FIGURE_17 = """@explore_option{
loggers = [graphic[svg,vertical],
tracegen[generation = exact,
partition={(l1,l2),(l3)}]
];
strategy = HCS;
filters = [max_depth = 35,
max_loop_depth = 4,
max_node_number = 250];

priorities = random
}
"""
FIGURE_18 = """@analyze_option{
loggers = [graphic[svg]];
analysis_kind = simulate
[before = true,
loop max depth,
reset = true,
multiply = false,
act num = 10];
strategy = DFS;

priorities = [simu = -1];
goal = WeakPass
}
"""

actions = st.builds(
    Action, st.sampled_from(LIFELINES), st.sampled_from(("!", "?")), st.sampled_from(MESSAGES)
)
_regions = st.sets(st.sampled_from(LIFELINES), min_size=1).map(mask)


def _over(terms: st.SearchStrategy[Interaction]) -> st.SearchStrategy[Interaction]:
    coregs = st.tuples(st.just(Operator.COREG), st.sampled_from((NONE, ALL)) | _regions)
    loops = st.tuples(st.just(Operator.LOOP_C), st.sampled_from((NONE, ALL)) | _regions)
    binary = st.sampled_from([(Operator.STRICT, NONE), (Operator.ALT, NONE)]) | coregs
    unary = st.sampled_from([(Operator.LOOP_S, NONE), (Operator.LOOP_H, NONE)]) | loops
    return st.builds(lambda root, one, other: make(*root, one, other), binary, terms, terms) | (
        st.builds(lambda root, one: make(*root, one, None), unary, terms)
    )


interactions = st.recursive(actions.map(act) | st.just(EMPTY), _over, max_leaves=20)
"""Any term, without simplification: also those that no reader of arrows would make."""


@st.composite
def multi_traces(draw: st.DrawFn) -> MultiTrace:
    """Over any partition of some of LIFELINES."""
    owner = {name: draw(st.integers(0, 3)) for name in LIFELINES if draw(st.booleans())}
    parts = []
    for group in sorted(set(owner.values())):
        own = [name for name in owner if owner[name] == group]
        places = draw(st.lists(st.tuples(st.sampled_from(own), actions)))
        parts.append(component(own, [action._replace(lifeline=name) for name, action in places]))
    return multi_trace(draw(st.permutations(parts)))
