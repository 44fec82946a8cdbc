"""YAML 1.2 and JSON text as plain values with lines, within bounds."""

from __future__ import annotations

import json
import math

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from choreomon.core.errors import DocumentError, Problem
from choreomon.files import source_positions as module
from choreomon.files.source_positions import (
    MAX_BYTES,
    MAX_NESTING,
    MAX_NODES,
    field_name,
    read_positioned,
)


def values(text: str | bytes, *, as_json: bool = False) -> dict[str, object]:
    return read_positioned(text, "f", as_json=as_json).value


def problem(text: str | bytes, *, as_json: bool = False) -> Problem:
    with pytest.raises(DocumentError) as caught:
        read_positioned(text, "f", as_json=as_json)
    assert len(caught.value.problems) == 1
    return caught.value.problems[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("true", True),
        ("True", True),
        ("TRUE", True),
        ("false", False),
        ("FALSE", False),
        ("yes", "yes"),
        ("no", "no"),
        ("on", "on"),
        ("off", "off"),
        ("y", "y"),
        ("tRUE", "tRUE"),
        ("null", None),
        ("~", None),
        ("", None),
        ("Null", None),
        ("nULL", "nULL"),
        ("12", 12),
        ("-3", -3),
        ("+4", 4),
        ("0o17", 15),
        ("0x1F", 31),
        ("017", 17),
        ("1_000", "1_000"),
        ("0b1", "0b1"),
        ("12:30", "12:30"),
        ("-0x1", "-0x1"),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1.", 1.0),
        ("1e3", 1000.0),
        ("-1.5E-1", -0.15),
        (".inf", math.inf),
        ("-.INF", -math.inf),
        (".", "."),
        ("1e", "1e"),
        ("e1", "e1"),
        ("'12'", "12"),
        ('"true"', "true"),
        ("2001-01-01", "2001-01-01"),
        ("<<", "<<"),
        ("=", "="),
        ("!!str 1", "1"),
        ("! 1", "1"),
        ("!!int '1'", 1),
        ("!!float 1", 1.0),
        ("!!bool true", True),
        ("|\n  yes\n", "yes\n"),
        ("\u0661", "\u0661"),
    ],
)
def test_scalars_follow_the_core_schema_of_yaml_1_2(text: str, expected: object) -> None:
    value = values(f"a: {text}\n")["a"]
    assert value == expected
    assert type(value) is type(expected)


def test_not_a_number_is_a_float() -> None:
    assert math.isnan(values("a: .nan")["a"])  # type: ignore[arg-type]


def test_on_yes_and_no_are_plain_keys() -> None:
    assert values("{on: 1, yes: 2, no: 3, off: 4}") == {"on": 1, "yes": 2, "no": 3, "off": 4}


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(st.dictionaries(st.text(), plain), st.sampled_from([None, 1, "\t"]))
def test_json_is_read_as_the_json_module_reads_it(
    value: dict[str, object], indent: int | str | None
) -> None:
    text = json.dumps(value, indent=indent)
    assert values(text, as_json=True) == json.loads(text)


def test_tabs_in_json_are_blanks_and_lines_are_counted() -> None:
    found = read_positioned('{\t"a":\n\t[1,\n\t\t{"b": "\\/\\ud83d\\ude00"}]\n}', "f", as_json=True)
    assert found.value == {"a": [1, {"b": "/\N{GRINNING FACE}"}]}
    assert found.lines == {
        (): 1,
        ("a",): 1,
        ("a", 0): 2,
        ("a", 1): 3,
        ("a", 1, "b"): 3,
    }


def test_every_path_has_its_line_in_yaml() -> None:
    found = read_positioned("a:\n  - 1\n  - b: 2\n\n    c:\n      d: 3\n", "f", as_json=False)
    assert found.lines == {
        (): 1,
        ("a",): 1,
        ("a", 0): 2,
        ("a", 1): 3,
        ("a", 1, "b"): 3,
        ("a", 1, "c"): 5,
        ("a", 1, "c", "d"): 6,
    }


def test_a_problem_below_what_is_there_has_the_line_of_the_nearest_thing() -> None:
    found = read_positioned("a:\n  b: 1\n", "f", as_json=False)
    assert found.problem(("a", "b", "c", 0), "x") == Problem("f", 2, "a.b.c[0]", "x")
    assert found.problem(("z",), "x").line == 1


def test_field_names_quote_keys_that_are_no_names() -> None:
    assert field_name(("a", 0, "b c", "\ud800", "d")) == "a[0]['b c']['\\ud800'].d"


def test_aliases_repeat_values_that_do_not_share_anything() -> None:
    value = values("a: &x {q: [1]}\nb: *x\n")
    assert value == {"a": {"q": [1]}, "b": {"q": [1]}}
    assert value["a"] is not value["b"]


@pytest.mark.parametrize(
    ("text", "line", "field", "part"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, "a", "comes twice, first on line 1"),
        ("a:\n  b: 1\n  b: 1\n", 3, "a.b", "comes twice"),
        ("a: 1\n1: 2\n", 2, "", "the key 1 is not text: put it in quotes"),
        ("a: {true: 2}\n", 1, "a", "the key true is not text"),
        ("a: {~: 2}\n", 1, "a", "the key ~ is not text"),
        ("? [a]\n: 1\n", 1, "", "cannot be a key"),
        ("a:\n  b: !foo 1\n", 2, "a.b", "unknown tag '!foo'"),
        ("a: !!set {b}\n", 1, "a", "unknown tag"),
        ("a: !!python/object:os.system {}\n", 1, "a", "unknown tag"),
        ("a: !!int x\n", 1, "a", "is not what its tag says"),
        ("a: 1\n---\nb: 2\n", 2, "", "several documents"),
        ("", 0, "", "is empty"),
        ("# nothing\n", 0, "", "is empty"),
        ("---\n", 0, "", "is empty"),
        ("- 1\n", 1, "", "is not a mapping"),
        ("\n'a'\n", 2, "", "is not a mapping"),
        ("a: [1\nb: 2\n", 2, "", "is not YAML"),
        ("a: &x [*x]\n", 1, "", "the alias *x lies inside of what it repeats"),
        ("a: 1\nb: *x\n", 2, "", "unknown alias *x"),
        ("a: 1\non: P1 -> P2 : m\n", 2, "", 'put labels in quotes, as in "P1 -> P2 : name"'),
        ("a:\n\tb: 1\n", 2, "", "tabs may not indent: use spaces (column 1)"),
        ("a:\n  - x\n \t- y\n", 3, "", "tabs may not indent: use spaces (column 2)"),
        ("a: \x00\n", 1, "", "it holds the control character U+0000 (column 4): take it out"),
        ("a: 1\r\nb: x\x07\n", 2, "", "the control character U+0007 (column 5)"),
        ("a: 1\n\x7f", 2, "", "the control character U+007F (column 1)"),
        ("a: 1\nb: @x\n", 2, "", "a value may not start with @: put it in quotes (column 4)"),
        ("a: [1, `x]\n", 1, "", "a value may not start with `: put it in quotes (column 8)"),
        ("a: %x\n", 1, "", "a value may not start with %: put it in quotes"),
        ("a: 1\nb: 'x\nc: 2\n", 4, "", "; ' was opened on line 2 (column 4)"),
        ('a: "x\n---\n', 2, "", '; " was opened on line 1 (column 4)'),
        ("a: [1,\n 2\nb: 2\n", 3, "", "; [ was opened on line 1 (column 4)"),
        ("a:\n  {b: 1\nc: 2\n", 3, "", "; { was opened on line 2 (column 3)"),
        ('a: "\\uD800"\n', 1, "", "is not YAML"),
        ("a: 1\nb: \ud800\n", 2, "", "surrogate"),
        (f"a: 1\nb: {'9' * 5000}\n", 2, "b", "has 5000 characters"),
        (f"a: 0x{'f' * 5000}\n", 1, "a", "has 5002 characters"),
        (f"{'9' * 500}: 1\n", 1, "", "has 500 characters"),
    ],
)
def test_what_is_wrong_with_yaml_is_told_with_line_and_field(
    text: str, line: int, field: str, part: str
) -> None:
    told = problem(text)
    assert (told.file, told.line, told.field) == ("f", line, field)
    assert part in told.message


@pytest.mark.parametrize(
    ("text", "line", "field", "part"),
    [
        ('{"a": 1,}', 1, "", "is not JSON"),
        ('{"a":\n 1\n "b": 2}', 3, "", "(column 2)"),
        ("a: 1", 1, "", "is not JSON"),
        ("", 0, "", "is empty"),
        (" \n ", 0, "", "is empty"),
        ("[1]", 1, "", "is not a mapping"),
        ("null", 1, "", "is not a mapping"),
        ('{"a": 1,\n "a": 2}', 2, "a", "comes twice, first on line 1"),
        ('{"a": [1,\n NaN]}', 2, "a[1]", "'NaN' is not JSON"),
        ('{"a": -Infinity}', 1, "a", "is not JSON"),
        (f'{{"a": {"9" * 5000}}}', 1, "a", "has 5000 characters"),
        (f'{{"a": {"9" * 5000}.0}}', 1, "a", "has 5002 characters"),
        ('{"a":\n"\\ud800"}', 2, "a", "surrogate"),
        ('{"\\ud800": 1}', 1, "", "surrogate"),
        ('{"a": "b\tc"}', 1, "", "is not JSON"),
        ('{"a": "b', 1, "", "is not JSON"),
        ('{"a": 1}}', 1, "", "is not JSON"),
        ("]", 1, "", "is not JSON"),
    ],
)
def test_what_is_wrong_with_json_is_told_with_line_and_field(
    text: str, line: int, field: str, part: str
) -> None:
    told = problem(text, as_json=True)
    assert (told.file, told.line, told.field) == ("f", line, field)
    assert part in told.message


BY = "this line is indented by"


@pytest.mark.parametrize("loader", ["Loader", "SafeLoader"])
@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        # The line that is indented as no other one is the wrong one, not the one after it.
        ("a:\n  b:\n   c: [1]\n    d: 1\n  e:\n    f: 1\n", 3, f"{BY} 3, line 4 by 4: indent what"),
        ("a:\n  b: [1]\n   c: 2\n  d: 2\n", 3, f"{BY} 3, line 2 by 2: indent what belongs"),
        ("a:\n    b: 1\n\n  # c\n  c: 2\n", 5, f"{BY} 2, line 2 by 4: indent what belongs"),
        ("a: 1\n  b: 2\n", 2, f"{BY} 2, line 1 by 0: indent what belongs"),
        ("a:\n  - b: 1\n     c: 2\n", 3, f"{BY} 5, line 2 by 4: indent what belongs"),
        ("a:\n  - b: 1\n - c: 2\n", 3, f"{BY} 1, line 2 by 2: indent what belongs"),
        (
            "a:\n  - b: 1\n  c: 2\n",
            3,
            f"{BY} 2, as the '-' on line 2 is: indent the keys of that item by 4",
        ),
    ],
)
def test_of_wrong_indentation_it_is_told_which_lines_differ_and_by_how_much(
    text: str, line: int, part: str, loader: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "Loader", getattr(yaml, loader, module.Loader))
    told = problem(text)
    assert (told.line, told.field) == (line, "")
    assert part in told.message


@pytest.mark.parametrize(
    "text",
    [
        "a: [1]\n  ]\n",
        "a: 'it's'\n",
        "a: b: c\n",
        "a: 1\n}\n",
        "a:\n  - b\n  c: 1\n",
        "a: 1\n b\n c: 3\n",
    ],
)
def test_what_may_be_another_mistake_is_not_told_to_be_indentation(text: str) -> None:
    assert "indent" not in problem(text).message


def test_bytes_that_are_not_utf_8_are_told_with_their_line() -> None:
    told = problem(b"a: 1\nb: \xff\n")
    assert told.line == 2
    assert "is not UTF-8" in told.message


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    assert values(b"\xef\xbb\xbfa: 1\n") == {"a": 1}
    assert values(b'\xef\xbb\xbf{"a": 1}', as_json=True) == {"a": 1}


def test_all_problems_of_a_text_are_told_in_order() -> None:
    with pytest.raises(DocumentError) as caught:
        read_positioned("a: !x 1\nb: 2\nb: 3\n4: 5\n", "f", as_json=False)
    assert [told.line for told in caught.value.problems] == [1, 3, 4]


@pytest.mark.parametrize("as_json", [False, True])
def test_nesting_is_allowed_up_to_the_limit_and_no_further(as_json: bool) -> None:
    def nested(levels: int) -> str:
        return '{"a": ' + "[" * (levels - 1) + "]" * (levels - 1) + "}"

    assert values(nested(MAX_NESTING), as_json=as_json)
    assert "nested deeper" in problem(nested(MAX_NESTING + 1), as_json=as_json).message
    assert "nested deeper" in problem(nested(500_000), as_json=as_json).message
    assert "nested deeper" in problem("[" * 500_000, as_json=as_json).message


def test_aliases_cannot_nest_deeper_than_the_limit() -> None:
    lines = ["a0: &a0 [x]", *(f"a{i}: &a{i} [*a{i - 1}]" for i in range(1, MAX_NESTING + 1))]
    assert "nested deeper" in problem("\n".join(lines)).message


def test_a_billion_laughs_are_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 10)]
    assert f"more than {MAX_NODES} values" in problem("\n".join(lines)).message


def test_too_many_values_are_refused() -> None:
    text = '{"a": [' + ",".join(["1"] * MAX_NODES) + "]}"
    assert f"more than {MAX_NODES} values" in problem(text, as_json=True).message


def test_too_large_a_text_is_refused_before_it_is_read() -> None:
    assert "is larger than" in problem(b"#" * (MAX_BYTES + 1)).message


def test_the_same_comes_out_where_pyyaml_has_no_libyaml(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "Loader", yaml.SafeLoader)
    found = read_positioned("a: &x\n  - yes\n  - '1'\nb: *x\n", "f", as_json=False)
    assert found.value == {"a": ["yes", "1"], "b": ["yes", "1"]}
    assert found.lines["a", 1] == 3
    assert "tabs may not indent" in problem("a:\n\tb: 1\n").message
    assert "may not start with @" in problem("a: @x\n").message
    assert "[ was opened on line 1" in problem("a: [1\nb: 2\n").message
    assert "the control character U+0007 (column 4)" in problem("a: \x07\n").message
    assert "is not YAML" in problem('a: "\\UFFFFFFFF"').message
    assert "surrogate" in problem('a: "\\uD800"').message
    assert "is not YAML" in problem(f"%YAML 1.{'9' * 5000}\n---\na: 1").message
