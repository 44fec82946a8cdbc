"""What the tests of diagrams share: names that mean something to Mermaid or PlantUML, or might."""

from __future__ import annotations

from hypothesis import strategies as st

from choreomon.core.action import Action
from choreomon.interaction.lifelines import ALL, NONE, mask
from choreomon.interaction.term import EMPTY, Interaction, Operator, act, make

HOSTILE = [
    *('say "x"', "a;b", "a#b", "a#59;b", "%%{init}%%", "[x]", "a\nend", "end", "End", "the end"),
    *("@enduml", "@startuml", "!include x", "'c", "%% c", "<b>x</b>", "<U+0041>", "&amp;", "\\n"),
    *("__b__", "//x//", "**b**", "~~x~~", "--x--", "==x==", "|||", "->", "-->>", "a:b", "(x", "x)"),
    *("participant", "note", "loop", "alt", "else", "and", "autonumber", "über", "消息", " "),
    *("wrap:x", "nowrap:x", ":wrap:x", " wrap: x", "wrap:wrap:x", "env", "environment", "nothing"),
    *("p0", "p1", "m (the same message)", "(the same message)", "a,b", "loopS", "coreg(a)", "x"),
    *("a  b", " a", "a ", "a\tb", "a__b", "_", "a.b", "a-b", "1", "😀", "a/'b", "'/", "<br/>", "o"),
]

_LEAVES = st.one_of(
    st.just(EMPTY),
    st.builds(
        lambda lifeline, kind, message: act(Action(lifeline, kind, message)),
        st.sampled_from(["a", "b", *HOSTILE]),
        st.sampled_from("!?"),
        st.sampled_from(["m", "n", *HOSTILE]),
    ),
    st.builds(
        lambda sender, receivers, message: make(
            Operator.STRICT,
            NONE,
            act(Action(sender, "!", message)),
            _in_sequence([act(Action(name, "?", message)) for name in receivers]),
        ),
        st.sampled_from("ab"),
        st.lists(st.sampled_from(["a", "b", "end"]), min_size=1, max_size=3),
        st.sampled_from(["m", "m (the same message)"]),
    ),
)


def _in_sequence(parts: list[Interaction]) -> Interaction:
    whole = parts[-1]
    for part in reversed(parts[:-1]):
        whole = make(Operator.COREG, NONE, part, whole)
    return whole


_REGIONS = st.one_of(
    st.sampled_from([NONE, ALL]),
    st.lists(st.sampled_from(["a", "b", *HOSTILE]), min_size=1, max_size=3).map(mask),
)


def _larger(smaller: st.SearchStrategy[Interaction]) -> st.SearchStrategy[Interaction]:
    plain = st.sampled_from([Operator.STRICT, Operator.ALT])
    return st.one_of(
        st.builds(lambda op, x, y: make(op, NONE, x, y), plain, smaller, smaller),
        st.builds(lambda r, x, y: make(Operator.COREG, r, x, y), _REGIONS, smaller, smaller),
        st.builds(lambda x: make(Operator.LOOP_S, NONE, x, None), smaller),
        st.builds(lambda x: make(Operator.LOOP_H, NONE, x, None), smaller),
        st.builds(lambda r, x: make(Operator.LOOP_C, r, x, None), _REGIONS, smaller),
    )


def interactions() -> st.SearchStrategy[Interaction]:
    """Any interaction over hostile names, nothing simplified."""
    return st.recursive(_LEAVES, _larger, max_leaves=12)
