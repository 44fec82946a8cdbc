"""Programs do what the statements of their handlers say."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choreomon.actors.application import Assign, Constant, If, Tell
from choreomon.actors.program import END, Program, perform, program_of, translated
from tests.actors.small_applications import VARIABLES, Handler, application, handlers

SLOTS = {variable: slot for slot, variable in enumerate(VARIABLES)}

Values: TypeAlias = list[Constant]
Performer: TypeAlias = Callable[[Program[str], Values], tuple[str, ...]]

any_handler = handlers(["P"], ["m", "n", "o"])
any_values = st.lists(st.booleans(), min_size=len(VARIABLES), max_size=len(VARIABLES))


def program(handler: Handler) -> Program[str]:
    """Its sends are the names of messages."""
    return program_of(handler, SLOTS, lambda send: send.message)


def written(text: str) -> Handler:
    """The handler in the language of `tests.actors.small_applications`."""
    return application(f"P.go: {text}").processes[0].handlers["go"]


def interpreted(handler: Handler, values: Values) -> tuple[str, ...]:
    """The slow oracle: the statements, one after the other, by recursion."""
    sent: tuple[str, ...] = ()
    for statement in handler:
        match statement:
            case Tell(_, name):
                sent += (name,)
            case Assign(variable, value):
                values[SLOTS[variable]] = value
            case If(variable, then, otherwise, negated):
                arm = then if bool(values[SLOTS[variable]]) != negated else otherwise
                sent += interpreted(arm, values)
    return sent


def differs(performer: Performer, handler: Handler, values: Values) -> bool:
    """Whether it sends anything else than the statements say, or leaves other values."""
    expected_values, found_values = [*values], [*values]
    expected = interpreted(handler, expected_values)
    found = performer(program(handler), found_values)
    return (found, found_values) != (expected, expected_values)


@settings(max_examples=400)
@given(any_handler, any_values)
def test_performing_a_program_is_doing_its_statements_one_after_the_other(
    handler: Handler, values: Values
) -> None:
    assert not differs(perform, handler, values)


@pytest.mark.parametrize(
    ("handler", "sent"),
    [
        ("", ""),
        (">P.m >P.n", "mn"),
        ("?a[>P.m]", ""),
        ("?!a[>P.m]", "m"),
        ("?a[>P.m|>P.n]", "n"),
        ("a=true ?a[>P.m|>P.n] >P.m", "mm"),
        ("a=true ?a[?!a[>P.m|?a[>P.n >P.n]]|>P.m] >P.m", "nnm"),
        ("?a[|>P.n]", "n"),
        ("?a[>P.m|]", ""),
        ("?a[|] >P.m", "m"),
        ("?!a[?a[>P.m]] >P.n", "n"),
        ("?a[a=true] ?a[>P.m|a=true >P.n] ?a[>P.o]", "no"),
    ],
)
def test_a_handler_sends_while_everything_is_false(handler: str, sent: str) -> None:
    assert "".join(perform(program(written(handler)), [False] * 3)) == sent


def wrong_arm(program: Program[str], values: Values) -> tuple[str, ...]:
    return perform(
        tuple(
            block
            if block.slot is None
            else block._replace(then=block.otherwise, otherwise=block.then)
            for block in program
        ),
        values,
    )


def forgets_what_was_assigned(program: Program[str], values: Values) -> tuple[str, ...]:
    return perform(program, [*values])


def decides_by_the_first_values(program: Program[str], values: Values) -> tuple[str, ...]:
    first = [*values]
    sent: tuple[str, ...] = ()
    at = 0
    while at != END:
        block = program[at]
        for slot, value in block.assigns:
            values[slot] = value
        sent += block.sends
        at = block.then if block.slot is None or first[block.slot] else block.otherwise
    return sent


def ends_after_an_arm(program: Program[str], values: Values) -> tuple[str, ...]:
    return perform(
        tuple(block if block.slot is not None else block._replace(then=END) for block in program),
        values,
    )


def in_another_order(program: Program[str], values: Values) -> tuple[str, ...]:
    return perform(program, values)[::-1]


@pytest.mark.parametrize(
    "planted",
    [
        wrong_arm,
        forgets_what_was_assigned,
        decides_by_the_first_values,
        ends_after_an_arm,
        in_another_order,
    ],
)
def test_the_comparison_notices(planted: Performer) -> None:
    handler = written("a=true ?a[>P.m|>P.n] >P.n")
    assert differs(planted, handler, [False] * 3)
    assert not differs(perform, handler, [False] * 3)


@given(any_handler)
def test_a_program_leads_onwards_only_and_no_block_but_the_first_is_empty(
    handler: Handler,
) -> None:
    """So performing it ends, and visits no block twice."""
    blocks = program(handler)
    for number, block in enumerate(blocks):
        ways = {block.then} if block.slot is None else {block.then, block.otherwise}
        assert all(way == END or number < way < len(blocks) for way in ways)
        assert block.slot is not None or block.otherwise == END
        assert number == 0 or block.assigns or block.sends or block.slot is not None


@pytest.mark.parametrize("deep", [True, False])
def test_the_size_of_a_program_is_that_of_its_handler(deep: bool) -> None:
    """Neither nested conditionals nor such in a row are copied, or need recursion."""
    handler: Handler = (Tell("P", "m"),)
    for _ in range(5000):
        if deep:
            handler = (Tell("P", "n"), If("a", (Assign("b", True),), handler), Tell("P", "o"))
        else:
            handler += (If("a", (Assign("b", True),), (Tell("P", "n"),)),)
    made = program(handler)
    assert len(made) <= 1 + 3 * 5000
    sent = perform(made, [False] * 3)
    assert len(sent) == (10_001 if deep else 5001)


def test_a_driver_may_put_its_own_idea_of_a_send_into_a_program() -> None:
    handler = written("a=true >P.m ?b[>P.n|>P.o >P.o] >P.m")
    made = translated(program(handler), str.upper)
    values: Values = [False, False, False]
    assert perform(made, values) == ("M", "O", "O", "M")
    assert values == [True, False, False]
    assert translated(made, str.lower) == program(handler)
