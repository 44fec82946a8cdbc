"""Interactions, multi-traces and signatures as JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from choreomon.core.action import Action
from choreomon.core.errors import DocumentError
from choreomon.hibou.signature import Signature
from choreomon.interaction.lifelines import NONE, mask
from choreomon.interaction.term import (
    EMPTY,
    Interaction,
    Operator,
    act,
    alt,
    coreg,
    loop_h,
    loop_s,
    make,
    seq,
    strict,
)
from choreomon.interaction_files import offline_json as module
from choreomon.interaction_files.offline_json import (
    read_interaction_json,
    read_multi_trace_json,
    read_signature_json,
    write_interaction_json,
    write_multi_trace_json,
    write_signature_json,
)
from choreomon.multitrace.multitrace import MultiTrace, component, multi_trace
from tests.core.names_for_tests import names as any_names
from tests.hibou.samples import LIFELINES, SIGNATURE, interactions, multi_traces

SENT, RECEIVED = Action("a", "!", "m"), Action("b", "?", "m")


def test_the_example_of_the_module_is_read() -> None:
    assert module.__doc__ is not None
    lines = module.__doc__[module.__doc__.index('{"kind": "interaction"') :].splitlines()
    passing = strict(act(SENT), act(RECEIVED))
    assert read_interaction_json("".join(lines[:4])) is coreg(mask("a"), passing, EMPTY)
    assert read_multi_trace_json(lines[4]) == multi_trace([component("a", (SENT,))])
    assert read_signature_json(lines[5]) == Signature(("a", "b"), ("m",))


@given(interactions)
def test_reading_what_was_written_gives_the_interaction_back(term: Interaction) -> None:
    assert read_interaction_json(write_interaction_json(term), SIGNATURE) is term


def test_the_round_trip_law_notices_a_writer_that_takes_loops_of_one_family_for_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    term = loop_h(act(SENT))
    assert read_interaction_json(write_interaction_json(term)) is term
    monkeypatch.setattr(module, "operator_name", lambda _: "loopW")
    assert read_interaction_json(write_interaction_json(term)) is not term


@pytest.mark.parametrize(("op", "meant"), [("coreg", "seq"), ("loopC", "loopW")])
def test_an_operator_over_no_lifeline_is_the_weak_one(op: str, meant: str) -> None:
    actions = [{"op": "action", "action": "a!m"}, {"op": "action", "action": "b?m"}]

    def read(**last: object) -> Interaction:
        operands = [0] if meant == "loopW" else [0, 1]
        nodes = [*actions, {**last, "operands": operands}]
        return read_interaction_json(json.dumps({"kind": "interaction", "nodes": nodes}))

    assert read(op=op, region=[]) is read(op=meant)
    assert read(op=op, region=["a"]) is not read(op=meant)


@given(multi_traces())
def test_reading_what_was_written_gives_the_multi_trace_back(multitrace: MultiTrace) -> None:
    text = write_multi_trace_json(multitrace)
    assert read_multi_trace_json(text) == multitrace
    assert read_multi_trace_json(text.encode(), signature=SIGNATURE) == multi_trace(
        multitrace.components, LIFELINES
    )


names = st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), unique=True)


@given(names, names)
def test_any_name_can_be_declared(lifelines: list[str], messages: list[str]) -> None:
    signature = Signature(tuple(lifelines), tuple(messages))
    if signature != ((), ()):
        assert read_signature_json(write_signature_json(signature)) == signature


def test_names_that_hibou_cannot_express_are_no_matter_here() -> None:
    action = Action("order-service 1", "?", "what? why!")
    assert read_interaction_json(write_interaction_json(act(action))) is act(action)
    multitrace = multi_trace([component([action.lifeline], (action,))])
    assert read_multi_trace_json(write_multi_trace_json(multitrace)) == multitrace


@given(any_names(), st.sampled_from("!?"), any_names())
@example("a!b", "?", "m")
@example('"a', "!", 'b"!m')
@example('"a!b"', "!", "m")
@example('"x"', "?", "m")
def test_actions_of_any_names_come_back(lifeline: str, kind: Any, message: str) -> None:
    action = Action(lifeline, kind, message)
    assert read_interaction_json(write_interaction_json(act(action))) is act(action)


def test_a_lifeline_without_a_sign_is_written_as_before() -> None:
    assert '"action": "\\"x\\"!m"' in write_interaction_json(act(Action('"x"', "!", "m")))


def test_what_json_cannot_express_is_not_written() -> None:
    strange = Action("a!\n", "?", "m")
    with pytest.raises(ValueError, match=r"'a!\\n' has a sign and is no name: it has U\+000A"):
        write_interaction_json(act(strange))
    with pytest.raises(ValueError, match="has a sign"):
        write_multi_trace_json(multi_trace([component(["a!\n"], (strange,))]))
    with pytest.raises(ValueError, match="open iteration"):
        write_interaction_json(make(Operator.OPEN, NONE, act(SENT), None))


def test_shared_subterms_are_written_once() -> None:
    term: Interaction = act(SENT)
    for _ in range(100):
        term = alt(loop_s(term), term)
    assert len(json.loads(write_interaction_json(term))["nodes"]) == 201
    assert read_interaction_json(write_interaction_json(term)) is term


@pytest.mark.parametrize("side", ["left", "right", "loops"])
def test_interactions_nested_5000_deep_are_written_and_read(side: str) -> None:
    term: Interaction = act(SENT)
    for _ in range(5000):
        if side == "left":
            term = strict(term, act(RECEIVED))
        else:
            term = seq(act(RECEIVED), term) if side == "right" else loop_s(term)
    assert read_interaction_json(write_interaction_json(term)) is term


A_NODE = {"op": "action", "action": "a!m"}


@pytest.mark.parametrize(
    ("nodes", "field", "said"),
    [
        ([], "nodes", "is empty: the last node is the interaction"),
        ([{}], "nodes[0]", "has no field `op`: give one"),
        ([{"op": "plus", "operands": []}], "nodes[0].op", "is no operator; expected o, action"),
        ([{"op": "action"}], "nodes[0].action", "is missing"),
        ([{"op": "action", "action": "a"}], "nodes[0].action", "is no action; write"),
        ([{"op": "action", "action": "!m"}], "nodes[0].action", "is no action; write"),
        ([{"op": "o", "operands": []}], "nodes[0].operands", "is no field of `o`"),
        ([A_NODE, {"op": "seq"}], "nodes[1].operands", "is missing"),
        ([A_NODE, {"op": "seq", "operands": []}], "nodes[1].operands", "a loop has one"),
        ([A_NODE, {"op": "seq", "operands": [1]}], "nodes[1].operands", "should be numbers of"),
        ([A_NODE, {"op": "seq", "operands": [-1]}], "nodes[1].operands", "should be numbers of"),
        ([A_NODE, {"op": "loopS", "operands": [0, 0]}], "nodes[1].operands", "a loop has one"),
        ([A_NODE, {"op": "coreg", "operands": [0, 0]}], "nodes[1].region", "is missing"),
        (
            [A_NODE, {"op": "loopC", "region": [""], "operands": [0]}],
            "nodes[1].region",
            "should be the names of lifelines, and one of them is empty",
        ),
        (
            [A_NODE, {"op": "loopS", "region": ["a"], "operands": [0]}],
            "nodes[1].region",
            "is no field of `loopS`",
        ),
        ([{"op": "action", "action": "c!m"}], "nodes[0].action", "unknown lifeline 'c'"),
        ([{"op": "action", "action": "a!n"}], "nodes[0].action", "unknown message 'n'"),
        (
            [A_NODE, {"op": "loopC", "region": ["c"], "operands": [0]}],
            "nodes[1].region",
            "unknown lifeline 'c'",
        ),
        (
            [A_NODE, {"op": "o", "more": 1}],
            "nodes[1]",
            "has a field `more`, which is none of",
        ),
    ],
)
def test_json_that_is_no_interaction_is_told_with_line_and_field(
    nodes: list[object], field: str, said: str
) -> None:
    text = '{"kind": "interaction",\n"nodes": [' + ",\n".join(map(json.dumps, nodes)) + "]}"
    with pytest.raises(DocumentError) as caught:
        read_interaction_json(text, Signature(("a", "b"), ("m",)), "x.json")
    (problem,) = caught.value.problems
    assert (problem.file, problem.line, problem.field) == ("x.json", max(2, len(nodes) + 1), field)
    assert problem.message.startswith(said)


@pytest.mark.parametrize(
    ("components", "said"),
    [
        ([{"lifelines": [], "actions": []}], ["should be the names of lifelines"]),
        (
            [{"lifelines": ["a"], "actions": []}, {"lifelines": ["b", "a"], "actions": []}],
            ["a is in components 1 and 2; a lifeline has one clock"],
        ),
        (
            [{"lifelines": ["a"], "actions": ["b!m", "x", "a!z"]}],
            ["b!m is not in the component [a]", "is no action; write", "unknown message 'z'"],
        ),
        ([{"lifelines": ["z"], "actions": []}], ["unknown lifeline 'z'"]),
        ([{"lifelines": ["a"], "actions": [1]}], ["should be text, not an integer"]),
    ],
)
def test_json_that_is_no_multi_trace_is_told(components: list[object], said: list[str]) -> None:
    text = json.dumps({"kind": "multi-trace", "components": components})
    with pytest.raises(DocumentError) as caught:
        read_multi_trace_json(text, signature=Signature(("a", "b"), ("m",)))
    problems = caught.value.problems
    assert len(problems) == len(said)
    for problem, start in zip(problems, said, strict=True):
        assert problem.line == 1
        assert problem.message.startswith(start)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", 0, "is empty: expected a mapping"),
        ("[]", 1, "is a list: expected a mapping"),
        ("{", 1, "is not JSON"),
        ('{"kind":\n"signature",', 2, "is not JSON"),
        ("{}", 1, "is missing: expected 'signature'"),
        ('{"kind": "interaction"}', 1, "is 'interaction': expected 'signature'"),
        ('{"kind": "signature"}', 1, "has no field `lifelines`: give one"),
        ('{"kind": "signature", "lifelines": [], "messages": []}', 1, "declares no lifeline"),
        ('{"kind": "signature", "lifelines": ["a"],\n"messages": ["m","m"]}', 2, "'m' is declared"),
        ('{"kind": "signature", "lifelines": [""], "messages": []}', 1, "should not be empty"),
        ('{"kind":' + "[" * 100_000, 0, "should be text, not a list"),
        ('{"kind": "signature", "x":' + "[" * 100_000, 1, "is nested deeper"),
    ],
)
def test_json_that_is_no_signature_is_told(text: str, line: int, said: str) -> None:
    with pytest.raises(DocumentError) as caught:
        read_signature_json(text)
    (problem,) = caught.value.problems
    assert problem.line == line
    assert problem.message.startswith(said)


@pytest.mark.parametrize(
    ("text", "line", "field"),
    [
        ('{"kind": "multi-trace", "components": [],\n"components": []}', 2, "components"),
        (
            '{"kind": "multi-trace", "components": [\n{"lifelines": ["a"], "actions": ["a!m"],\n'
            '"actions": []}]}',
            3,
            "components[0].actions",
        ),
    ],
)
def test_a_key_that_comes_twice_is_told(text: str, line: int, field: str) -> None:
    """What decodes JSON keeps the last one, which may be the half that is right."""
    with pytest.raises(DocumentError) as caught:
        read_multi_trace_json(text)
    (problem,) = caught.value.problems
    assert (problem.line, problem.field) == (line, field)
    assert problem.message.startswith("comes twice, first on line")


def test_in_documents_too_large_to_look_at_again_too() -> None:
    text = '{"kind": "signature", "messages": ["m"], "lifelines": [%s], "messages": ["n"]}'
    with pytest.raises(DocumentError) as caught:
        read_signature_json(text % ",".join(f'"l{n}"' for n in range(250_000)))
    assert str(caught.value) == (
        "signature: has the key 'messages' twice in one mapping: keep one of the two"
    )


def test_keys_of_interactions_come_once() -> None:
    node = '{"op": "action", "action": "a!m", "op": "action"}'
    with pytest.raises(DocumentError, match="comes twice"):
        read_interaction_json(f'{{"kind": "interaction", "nodes": [{node}]}}')
    colons = {"op": "action", "action": "a:b!m:"}
    term = read_interaction_json(json.dumps({"kind": "interaction", "nodes": [colons]}))
    assert str(term) == "a:b!m:"


def test_what_is_wrong_with_a_document_too_large_to_look_at_again_is_told_without_a_line() -> None:
    actions = ["a!m"] * 250_000 + ["b!m"]
    text = json.dumps(
        {"kind": "multi-trace", "components": [{"lifelines": ["a"], "actions": actions}]}
    )
    with pytest.raises(DocumentError) as caught:
        read_multi_trace_json(text)
    assert str(caught.value) == (
        "trace: components[0].actions[250000]: b!m is not in the component [a]"
    )
