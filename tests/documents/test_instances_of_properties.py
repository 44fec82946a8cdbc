"""Documents about each instance: what they may say, and what refuses them."""

from __future__ import annotations

import pytest

from choreomon.core.errors import DocumentError
from choreomon.core.message import SEND, Label, Message
from choreomon.documents.read import parse_document
from choreomon.documents.scenario import scenario
from choreomon.properties.instances import Forgetting
from choreomon.properties.tables import transition_tables

PROCESSES = ("admin", "billing", "bank", "carrier", "customer", "shop")

GOOD = """property:
  for_each: [tenant, order]
  sequences:
    - steps: ["billing -> bank : refund(tenant, order)", "shop -> carrier : ship(tenant, order)"]
      cancel: [{on: "billing -> bank : reverse(tenant, order)", after: [1, 1], back_to: 0}]
    - steps: ["admin -> billing : suspend(tenant)", "billing -> bank : charge(tenant, order)"]
      cancel: [{on: "admin -> billing : resume", after: [1, 1], back_to: 0}]
"""


def wrong(*changes: tuple[str, str]) -> list[str]:
    text = GOOD
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    with pytest.raises(DocumentError) as caught:
        parse_document(text, "p.yaml")
    return [f"{each.line}: {each.message}" for each in caught.value.problems]


def test_labels_say_what_their_messages_carry() -> None:
    loaded = parse_document(GOOD, "p.yaml").property
    assert loaded is not None
    assert loaded.parameters is not None
    assert loaded.parameters.names == ("tenant", "order")
    suspend = Label(SEND, Message("admin", "suspend", "billing"))
    assert loaded.parameters.of(suspend) == ("tenant",)
    assert loaded.parameters.binding(suspend, {"tenant": "t", "order": "1"}) == (("tenant", "t"),)
    assert loaded.parameters.binding(suspend, {"order": "1"}) is None
    assert suspend in loaded.automaton.labels


def test_an_automaton_may_be_for_each_instance() -> None:
    text = """property:
  for_each: [order]
  automaton:
    initial: [q0]
    final: [q1]
    transitions: [{from: q0, to: q1, on: "shop -> carrier : ship( order )"}]
"""
    loaded = parse_document(text, "p.yaml").property
    assert loaded is not None
    assert loaded.parameters is not None
    assert [*loaded.parameters.carried.values()] == [("order",)]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ([("for_each: [tenant, order]", "for_each: [tenant]")], "4: carries 'order', which is no"),
        ([("for_each: [tenant, order]", "rules: sound")], "4: carries 'tenant', which is no param"),
        ([("for_each: [tenant, order]", "for_each: [tenant, order, x]")], "2: is 'x', which no me"),
        ([("ship(tenant, order)", "ship(tenant, ordr)")], "did you mean 'order'"),
        ([("ship(tenant, order)", "ship(tenant)")], "4: carries no order, and other labels of its"),
        ([("reverse(tenant, order)", "reverse(tenant, ")], "should end in names of parameters"),
        ([("reverse(tenant, order)", "reverse(order, order)")], "each once"),
        ([("charge(tenant, order)", "charge(tenant, order)\", \"admin -> billing : suspend")],
         "carries (), and elsewhere (tenant): one message carries the same everywhere"),
        (
            [("charge(tenant, order)\"]", "x(tenant, order)\", \"a -> b : y(tenant)\", "
              "\"a -> b : z(tenant, order)\"]")],
            "carries no order, and a step before it does",
        ),
        (
            [
                ("ship(tenant, order)\"]", "x(tenant, order)\", \"a -> b : z(tenant, order)\"]"),
                ("reverse(tenant, order)\", after: [1, 1], back_to: 0", "reverse(tenant)\", "
                 "after: [2, 2], back_to: 0"),
            ],
            "carries no order, and what it takes back does",
        ),
        (
            [
                ("charge(tenant, order)\"]", "x(tenant)\", \"a -> b : z(tenant, order)\"]"),
                ("resume\", after: [1, 1]", "resume(order)\", after: [1, 1]"),
            ],
            "6: carries no order, and admin -> billing : resume, which takes back a step before it",
        ),
        (
            [
                ("charge(tenant, order)\"]", "x(tenant)\", \"a -> b : z(tenant, order)\"]"),
                (
                    "resume\", after: [1, 1], back_to: 0}",
                    "resume(tenant)\", after: [2, 2], back_to: 0}, "
                    "{on: \"a -> b : y(tenant, order)\", after: [2, 2], back_to: 1}",
                ),
            ],
            "7: carries no order, and a -> b : y, which takes back the same, does: every instance",
        ),
        (
            [
                (
                    "{on: \"admin -> billing : resume\", after: [1, 1], back_to: 0}",
                    "{on: \"admin -> billing : resume\", after: [1, 1], back_to: 0}, "
                    "{on: \"admin -> bank : reset(tenant)\", after: [1, 1], back_to: 0}",
                ),
            ],
            "7: carries (tenant), and admin -> billing : resume, which does the same and is "
            "watched by admin, too, carries (): nobody who asks admin could say which of the two "
            "is meant; let both carry the same",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_told_of_which_instance_is_refused(
    changes: list[tuple[str, str]], told: str
) -> None:
    assert any(told in each for each in wrong(*changes)), wrong(*changes)


FRESH = GOOD + '  fresh: ["customer -> shop : open(tenant, order)"]\n'


def test_a_fresh_label_takes_back_what_is_of_the_instance_alone() -> None:
    loaded = parse_document(FRESH, "p.yaml").property
    assert loaded is not None
    added = [str(t) for t in loaded.automaton.backward if t.label.message.name == "open"]
    assert added == ["(q1, customer -> shop : open, q0)"]
    assert loaded.automaton.sequences == (2, 2)


def test_leading_steps_that_carry_less_stay() -> None:
    text = FRESH.replace('suspend(tenant)",', 'suspend(tenant)", "a -> b : x(tenant, order)",')
    loaded = parse_document(text, "p.yaml").property
    assert loaded is not None
    added = [str(t) for t in loaded.automaton.backward if t.label.message.name == "open"]
    assert added == ["(q1, customer -> shop : open, q0)", "(q5, customer -> shop : open, q4)"]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("open(tenant, order)", "open(tennant)", "8: carries 'tennant', which is no param"),
        ("resume\"", "resume(tenant, order)\"", "8: cannot begin instances anew: admin -> billing "
         ": resume takes back admin -> billing : suspend, which carries no order, for one"),
        ("customer -> shop : open(tenant, order)", "env -> shop : open(tenant, order)",
         '8: \'env\' has no monitor that could watch it send: write "handle env'),
        ("  for_each: [tenant, order]\n", "", "carries 'tenant', which is no parameter"),
        ("\"shop -> carrier : ship", "\"customer -> shop : open(tenant, order)\", \"a -> b : ship",
         "8: cannot begin instances anew: it is a step between the first and the last one"),
    ],
)  # fmt: skip
def test_what_cannot_begin_instances_anew_is_refused(old: str, new: str, told: str) -> None:
    assert old in FRESH
    with pytest.raises(DocumentError) as caught:
        parse_document(FRESH.replace(old, new), "p.yaml")
    found = [f"{each.line}: {each.message}" for each in caught.value.problems]
    assert any(told in each for each in found), found


def test_fresh_without_for_each_is_refused_and_twice_is_told() -> None:
    bare = 'property: {fresh: ["a -> b : x"], sequences: [{steps: ["a -> b : y", "a -> b : z"]}]}'
    with pytest.raises(DocumentError, match="there are none: name their parameters in for_each"):
        parse_document(bare, "p.yaml")
    once = "customer -> shop : open(tenant, order)"
    twice = FRESH.replace(f'["{once}"]', f'["{once}", "customer -> shop : open(order, tenant)"]')
    assert twice.count(": open") == 2
    assert not parse_document(twice, "p.yaml").warnings
    same = twice.replace("open(order, tenant)", "open(tenant, order)")
    (warning,) = parse_document(same, "p.yaml").warnings
    assert warning.message.startswith("is stated twice")


def test_a_fresh_label_that_takes_nothing_back_is_refused() -> None:
    text = """property:
  for_each: [tenant, order]
  sequences: [{steps: ["a -> b : x(tenant)", "a -> b : y(tenant, order)"]}]
  fresh: ["a -> b : z(order)"]
"""
    with pytest.raises(DocumentError) as caught:
        parse_document(text, "p.yaml")
    (problem,) = caught.value.problems
    assert str(problem).startswith(
        "p.yaml:4: property.fresh[0]: begins nothing anew, since no step"
    )
    assert "no step that carries all of (order) is before another one" in problem.message
    assert parse_document(text.replace("z(order)", "z(tenant)"), "p.yaml").property is not None


CIRCLE = """property:
  for_each: [order]
  fresh: ["shop -> bank : open(order)"]
  automaton:
    initial: [q0]
    final: [q3]
    transitions:
      - {from: q0, to: q1, on: "a -> b : m1(order)"}
      - {from: q1, to: q2, on: "a -> b : m2(order)"}
      - {from: q2, to: q1, on: "a -> b : m3(order)"}
      - {from: q0, to: q2, on: "a -> b : m4(order)"}
      - {from: q1, to: q3, on: "a -> b : m5(order)"}
      - {from: q2, to: q3, on: "a -> b : m6(order)"}
"""


def test_an_automaton_whose_steps_go_in_circles_has_no_fresh_labels() -> None:
    with pytest.raises(DocumentError) as caught:
        parse_document(CIRCLE, "p.yaml")
    (problem,) = caught.value.problems
    assert (problem.line, problem.field) == (3, "property.fresh[0]")
    assert "forward transitions go in circles through q1, q2, so that" in problem.message
    straight = CIRCLE.replace("from: q2, to: q1", "from: q1, to: q2")
    loaded = parse_document(straight, "p.yaml").property
    assert loaded is not None
    added = [(t.source, t.target) for t in loaded.automaton.backward]
    assert added == [("q1", "q0"), ("q2", "q0")]


def test_a_way_back_that_would_be_a_way_on_is_refused() -> None:
    text = CIRCLE.replace("initial: [q0]", "initial: [q0, q1]").replace("q2, to: q1", "q1, to: q2")
    text = text.replace("from: q1, to: q3", "from: q0, to: q3")
    with pytest.raises(DocumentError, match=r"instances anew: q1 -> q0 .* lies on a "):
        parse_document(text, "p.yaml")


def test_steps_that_are_shared_are_not_taken_back_with_others() -> None:
    text = CIRCLE.replace('q2, to: q1, on: "a -> b : m3(order)', 'q0, to: q1, on: "b -> a : m3')
    with pytest.raises(DocumentError, match="has b -> a : m3 in it, which carries no order, so"):
        parse_document(text, "p.yaml")


def test_a_scenario_has_the_parameters_of_its_property() -> None:
    text = "application: {processes: [{id: shop}, {id: bank, handlers: {pay: []}}]}\n"
    text += 'property: {for_each: [o], sequences: [{steps: ["shop -> bank : pay(o)"]}]}\n'
    document = parse_document(text, "p.yaml")
    parameters = scenario(document, "simulate").parameters
    assert parameters is not None
    assert parameters.names == ("o",)


def test_rules_that_know_of_no_instances_are_refused() -> None:
    assert wrong(("for_each:", "rules: sound\n  for_each:")) == [
        "2: are sound, which know of no instances: leave this out, or for_each"
    ]


FORGETS = FRESH + "  forget_after: 30 days\n"


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("30 days", 2592000), ("36h", 129600), ("1 hour", 3600),
     ("90 minutes", 5400), ("1.5d", 129600)]
)  # fmt: skip
def test_what_binds_just_what_a_fresh_label_does_is_forgotten(written: str, seconds: float) -> None:
    loaded = parse_document(FORGETS.replace("30 days", written), "p.yaml").property
    assert loaded is not None
    assert loaded.parameters is not None
    assert loaded.parameters.forgetting == Forgetting(seconds, frozenset({("order", "tenant")}))
    tables = transition_tables(loaded.automaton, PROCESSES, "precise", loaded.parameters)
    forgetting = {name for name, table in tables.items() if table.forgetting is not None}
    assert forgetting == {"customer", "shop", "billing"}  # and none of admin, of whole tenants


def test_nothing_is_forgotten_where_nothing_says_so() -> None:
    loaded = parse_document(FRESH, "p.yaml").property
    assert loaded is not None
    tables = transition_tables(loaded.automaton, PROCESSES, "precise", loaded.parameters)
    assert not any(table.forgetting for table in tables.values())


@pytest.mark.parametrize("written", ["30 s", "59 minutes", "3651 days", "30", "0d", "[1]", "x"])
def test_other_times_are_refused(written: str) -> None:
    with pytest.raises(DocumentError) as caught:
        parse_document(FORGETS.replace("30 days", written), "p.yaml")
    (problem,) = caught.value.problems
    assert (problem.line, problem.field) == (9, "property.forget_after")
    assert 'a time such as "30 days" or "36 hours", from 1 hour to 3650 days' in problem.message


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        (GOOD + "  forget_after: 30 days\n", 8, "needs labels in fresh"),
        (
            'property:\n  sequences: [{steps: ["a -> b : y", "a -> b : z"]}]\n  forget_after: 2h',
            3,
            "is about instances, and there are none: name their parameters in for_each, or leave",
        ),
        (
            "property:\n  for_each: [order]\n  forget_after: 2h\n  sequences:\n"
            '    - steps: ["a -> b : y(order)", "a -> b : z(order)"]\n  fresh: ["a -> b : anew"]',
            3,
            "forgets nothing, since no label of fresh carries a parameter",
        ),
    ],
)
def test_what_cannot_be_forgotten_without_harm_is_refused(text: str, line: int, told: str) -> None:
    with pytest.raises(DocumentError) as caught:
        parse_document(text, "p.yaml")
    (problem,) = caught.value.problems
    assert (problem.line, problem.field) == (line, "property.forget_after")
    assert told in problem.message
