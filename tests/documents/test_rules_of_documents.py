"""Rules of documents: what they stand for, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import dedent, indent

import pytest

from choreomon.core.errors import DocumentError
from choreomon.documents.read import Document, parse_document
from choreomon.properties.instances import Forgetting
from choreomon.properties.progress import Rule, rules_of
from choreomon.properties.reference import formations

WHOLE = """
    rules:
      - id: ship-only-when-paid
        description: A parcel leaves only while its order is paid.
        severity: warning
        runbook_url: https://runbooks.example/ship
        tags: [payments]
        for_each: [order]
        never: "shop -> {carrier, courier} : ship(order)"
        unless: "bank -> shop : paid(order)"
        until: "bank -> shop : reversed(order)"
      - id: no-work-after-shutdown
        where: {w: [worker-1, worker-2]}
        never: "handle * -> $w : tuples"
        after: "server -> $w : shutdown"
      - id: no-delete-outside-a-migration
        never: 'api -> db : "DELETE FROM {table}"'
        unless: "operator -> db : begin-migration"
        until: "operator -> db : end-migration"
      - id: in-this-order
        steps: ["a -> b : one", ["b -> a : two", "b -> c : two"]]
        cancel: [{on: "a -> b : stop", after: [1, 1], back_to: 0}]
      - id: by-hand
        automaton:
          initial: [s0]
          final: [s1]
          transitions: [{from: s0, to: s1, on: "a -> c : never"}]
"""


def read(text: str) -> Document:
    return parse_document(dedent(text), "rules.yaml")


def rules(document: Document) -> dict[str, Rule]:
    assert document.property is not None
    return {
        rule.stated.name: rule
        for rule in rules_of(document.property.automaton)
        if rule.stated is not None
    }


def labels(rule: Rule) -> list[str]:
    return sorted(map(str, rule.automaton.labels))


def test_the_rules_of_a_document() -> None:
    found = rules(read(WHOLE))
    assert [*found] == [
        "ship-only-when-paid",
        "no-work-after-shutdown (w = worker-1)",
        "no-work-after-shutdown (w = worker-2)",
        "no-delete-outside-a-migration",
        "in-this-order",
        "by-hand",
    ]
    ship = found["ship-only-when-paid"]
    assert ship.stated is not None
    assert ship.stated.plain() == {
        "id": "ship-only-when-paid",
        "description": "A parcel leaves only while its order is paid.",
        "severity": "warning",
        "runbook_url": "https://runbooks.example/ship",
        "tags": ["payments"],
    }
    assert ship.stated.line == 3
    assert labels(ship) == [
        "bank -> shop : paid",
        "bank -> shop : reversed",
        "shop -> carrier : ship",
        "shop -> courier : ship",
    ]
    migration = found["no-delete-outside-a-migration"].stated
    assert migration is not None
    assert migration.description == (
        'api -> db : "DELETE FROM {table}" is forbidden from the beginning or the last '
        "operator -> db : end-migration until operator -> db : begin-migration."
    )


def test_a_star_is_every_process_that_the_document_names_and_the_environment() -> None:
    document = read(WHOLE)
    work = rules(document)["no-work-after-shutdown (w = worker-1)"]
    handled = {label.message.sender for label in work.automaton.labels if label.kind == "handle"}
    assert handled == {*document.processes, "env"} - {"worker-1"}


def test_what_a_message_carries_goes_for_all_rules() -> None:
    document = read(WHOLE)
    assert document.property is not None
    parameters = document.property.parameters
    assert parameters is not None
    assert parameters.names == ("order",)
    assert {message.name for message, names in parameters.carried.items() if names} == {
        "ship",
        "paid",
        "reversed",
    }


def test_steps_may_be_one_of_several_messages() -> None:
    rule = rules(read(WHOLE))["in-this-order"]
    by_name = {str(label): label for label in rule.automaton.labels}
    word = [by_name["a -> b : one"], by_name["b -> c : two"]]
    assert [each.index for each in formations(rule.automaton, word)] == [1]
    undone = [by_name["a -> b : one"], by_name["a -> b : stop"], by_name["b -> a : two"]]
    assert formations(rule.automaton, undone) == []


def test_steps_of_patterns_are_told_by_the_numbers_of_states() -> None:
    """Where each rule is a chain; of one that has to be opened in order there are two ways on."""
    chains = read("""
        rules:
          - {id: r, never: "a -> b : m", after: "b -> a : n"}
          - {id: s, never: "a -> b : m", unless: "b -> a : n", before: "b -> a : k"}
    """)
    assert chains.property is not None
    assert chains.property.automaton.sequences == (2, 3)
    in_order = read("""
        rules:
          - {id: r, never: "a -> b : m", unless: {in_order: ["b -> a : n", "b -> a : k"]}}
    """)
    assert in_order.property is not None
    assert in_order.property.automaton.sequences == ()


def test_a_star_with_an_application_is_whoever_sends_the_message() -> None:
    document = read("""
        application:
          processes:
            - id: a
              handlers: {go: [{send: {to: b, message: m}}]}
            - {id: b, handlers: {m: []}}
            - {id: c, handlers: {m: []}}
          start: [{to: a, message: go}]
        rules: [{id: r, never: "* -> * : m"}]
    """)
    assert labels(rules(document)["r"]) == ["a -> b : m"]


def wrong() -> Iterator[tuple[str, str]]:
    yield "never: 'a -> b : m'", "id: is missing"
    yield "id: r", "forbids nothing: give never, steps or automaton"
    yield "id: r\nnever: 'a -> b : m'\nsteps: ['a -> b : m']", "has never and steps"
    yield "id: r\nnever: 'a -> b : m'\nunles: 'a -> b : n'", "did you mean 'unless'"
    yield "id: r\nnever: 'a - b'", "should be a label"
    yield (
        "id: r\nfollowed_by: 'a -> b : m'",
        "has followed_by, which speaks of what has not happened",
    )
    yield "id: r\nnever: 'a -> $w : m'", "unknown variable '$w'"
    yield "id: r\nnever: 'a -> $w : m'\nwhere: {v: [x]}", "unknown variable '$w'; did you mean '$v'"
    yield "id: r\nnever: 'a -> b : m'\nwhere: {w: [x]}", "is used nowhere: write $w"
    yield "id: r\nnever: 'a -> $w : m'\nwhere: {w: []}", "should not be empty"
    yield "id: r\nnever: 'a -> $w : m'\nwhere: {w: [x, x]}", "'x' comes twice"
    yield "id: r\nnever: 'a -> b : m'\nbetween: ['a -> b : q']", "should be [first, second]"
    yield (
        "id: r\nnever: 'a -> b : m'\nbetween: ['a -> b : q', 'a -> b : r']\nafter: 'a -> b : q'",
        "after: goes with no between",
    )
    yield "id: r\nnever: 'a -> b : m'\nuntil: 'a -> b : q'", "until: ends nothing"
    yield "id: r\nnever: 'a -> b : m'\nseverity: fatal", "severity: should be"
    yield "id: r\nnever: 'a -> b : m'\nrunbook_url: wiki", "begins with http://"
    yield "id: r\nnever: 'a -> b : m(order)'", "carries 'order', which is no parameter"
    yield "id: r\nnever: '* -> a : m'", "stands for no message that is ever sent"
    yield "id: r\nsteps: ['a -> b : m', 'a -> b : n']\nunless: 'a -> b : p'", "goes with never"
    yield (
        "id: r\nsteps: ['a -> b : m', 'a -> b : n']\n"
        "cancel: [{on: 'a -> b : p', after: 1, back_to: 0}]",
        "should be [first, last], two numbers of steps, not 1",
    )
    yield (
        "id: r\nsteps: ['a -> b : m', 'a -> b : n']\n"
        "cancel: [{on: 'a -> b : p', after: [1, 2], back_to: 0}]",
        "is no stretch of 2 steps",
    )


@pytest.mark.parametrize(("rule", "told"), [*wrong()])
def test_wrong_rules_are_refused_with_the_fix(rule: str, told: str) -> None:
    text = f"rules:\n  -\n{indent(rule, '    ')}\n"
    with pytest.raises(DocumentError) as refused:
        parse_document(text, "rules.yaml")
    assert any(told in str(problem) for problem in refused.value.problems), refused.value
    assert all(problem.line for problem in refused.value.problems)


def test_ids_come_once_and_messages_carry_the_same_in_all_rules() -> None:
    with pytest.raises(DocumentError) as refused:
        read("""
            rules:
              - {id: r, never: "a -> b : m"}
              - {id: r, never: "a -> b : n"}
        """)
    assert "give each rule an id of its own" in str(refused.value)
    with pytest.raises(DocumentError) as refused:
        read("""
            rules:
              - {id: r, never: "a -> b : m"}
              - {id: s, for_each: [order], never: "a -> b : m(order)"}
        """)
    assert "carries (order), and in r, line 3, nothing" in str(refused.value)


def test_states_of_an_automaton_are_its_own() -> None:
    with pytest.raises(DocumentError) as refused:
        read("""
            rules:
              - id: r
                automaton:
                  {initial: [q], final: [p], transitions: [{from: q, to: p, on: "a -> b : m"}]}
              - id: s
                automaton:
                  {initial: [q], final: [t], transitions: [{from: q, to: t, on: "a -> b : n"}]}
        """)
    assert "has the state q, which is one of r, too" in str(refused.value)


def warned(text: str) -> list[str]:
    return [f"{each.line}: {each.message}" for each in read(text).warnings]


def test_rules_that_are_probably_wrong_are_told_of() -> None:
    assert warned("""
        rules:
          - {id: a, never: "shop -> carrier : ship", after: "bank -> shop : refund"}
          - {id: b, never: "shop -> carrier : ship"}
          - {id: c, never: "shop -> carrier : shipp", unless: "bank -> shop : refund"}
          - {id: o, where: {w: [w1, w2]}, never: "shop -> $w : jobs", after: "$w -> shop : stop"}
          - {id: d, where: {w: [w1, w2]}, never: "shop -> $w : tuples"}
          - {id: e, never: "shop -> worker-1 : go"}
          - {id: f, never: "shop -> worker-2 : go"}
    """) == [
        "3: is implied by b, which is violated whenever this is: leave one of the two out",
        '5: names "shop -> carrier : shipp"; did you mean "shop -> carrier : ship"?',
        "7: is used once, so that one rule with {w1, w2} in its place says the same",
    ]


def test_rules_for_other_instances_are_not_compared() -> None:
    assert (
        warned("""
        rules:
          - {id: a, never: "shop -> carrier : ship(order)", for_each: [order]}
          - {id: b, never: "shop -> bank : charge", after: "bank -> shop : closed"}
    """)
        == []
    )


FORGETTING = """
    rules:
      - id: no-refunded-order
        for_each: [order]
        never: "shop -> carrier : ship(order)"
        after: "billing -> bank : refund(order)"
        fresh: "customer -> shop : open(order)"
        forget_after: 30 days
      - id: only-when-paid
        for_each: [order]
        never: "shop -> carrier : ship(order)"
        unless: "bank -> shop : paid(order)"
        fresh: "customer -> shop : open(order)"
        forget_after: 36 hours
      - id: no-suspended-tenant
        for_each: [tenant]
        never: "billing -> bank : charge(tenant)"
        after: "admin -> billing : suspend(tenant)"
"""


def test_of_several_times_of_rules_the_longest_counts() -> None:
    loaded = read(FORGETTING).property
    assert loaded is not None
    assert loaded.parameters is not None
    assert loaded.parameters.forgetting == Forgetting(30 * 86400.0, frozenset({("order",)}))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "        forget_after: 36 hours\n",
            "",
            "8: forgets what (order) is remembered of, and only-when-paid, which is about that, "
            "too, does not: give both forget_after and a label in fresh that carries just that",
        ),
        (
            '        after: "admin -> billing : suspend(tenant)"\n',
            '        after: "admin -> billing : suspend(tenant)"\n        forget_after: 2 days\n',
            "19: needs labels in fresh",
        ),
        ("30 days", "30 s", '8: should be a time such as "30 days"'),
    ],
)
def test_what_one_rule_forgets_no_other_one_may_remember(old: str, new: str, told: str) -> None:
    assert old in FORGETTING
    with pytest.raises(DocumentError) as caught:
        read(FORGETTING.replace(old, new))
    found = [f"{each.line}: {each.message}" for each in caught.value.problems]
    assert any(told in each for each in found), found
