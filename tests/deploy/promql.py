"""A grammar of PromQL, as far as our alerts and dashboards use it, for machines without `promtool`.

    expression   operand {(or | and | unless | == | != | > | < | >= | <= | + | - | * | /) operand}
    operand      number | function(expression, ...) | aggregation | selector | (expression)
    aggregation  sum|count|min|max|avg [by|without (label, ...)] (expression)
    selector     metric [{label (=|!=|=~|!~) "text", ...}] [[duration]] [offset duration]

Functions are those that are listed here, with the kind of what they take. What is not in the
grammar is refused, also where Prometheus would take it. What a variable of Grafana stands for is
filled in before (`filled`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

FUNCTIONS: Final = {
    "increase": ("range",),
    "rate": ("range",),
    "histogram_quantile": ("scalar", "vector"),
    "vector": ("scalar",),
}
AGGREGATIONS: Final = ("sum", "count", "min", "max", "avg")
VARIABLES: Final = {
    "$__rate_interval": "5m",
    "$__range": "6h",
    "$job": "choreomon",
    "$instance": ".+",
}

_TOKEN: Final = re.compile(
    r"\s*(?:(?P<text>\"(?:[^\"\\]|\\.)*\")|(?P<duration>\d+(?:ms|[smhdwy])\b)"
    r"|(?P<number>\d+(?:\.\d+)?)|(?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)"
    r"|(?P<sign>=~|!~|==|!=|>=|<=|[-+*/<>={}()\[\],]))"
)
_OPERATORS: Final = ("or", "and", "unless", "==", "!=", ">", "<", ">=", "<=", *"+-*/")


class NotPromQL(ValueError):
    """The message says what was expected, and where."""


@dataclass
class Named:
    """What an expression names: labels of matchers by metric, labels of groupings, and texts of
    matchers by label."""

    metrics: dict[str, set[str]] = field(default_factory=dict)
    grouped: set[str] = field(default_factory=set)
    matched: list[tuple[str, str, str]] = field(default_factory=list)
    """Label, operator, text."""


def filled(expression: str) -> str:
    """With something in the place of Grafana's variables."""
    for variable in sorted(VARIABLES, key=len, reverse=True):
        expression = expression.replace(variable, VARIABLES[variable])
    return expression


def named_in(expression: str) -> Named:
    """What is named in an expression of the grammar. Raises `NotPromQL`."""
    parser = _Parser(expression)
    kind = parser.expression()
    parser.expect("end", "")
    if kind == "range":
        raise NotPromQL("a range is nothing that can be shown: take its rate")
    return parser.named


class _Parser:
    def __init__(self, text: str) -> None:
        self.named = Named()
        self._tokens: list[tuple[str, str]] = []
        place, text = 0, text.rstrip()
        while place < len(text):
            found = _TOKEN.match(text, place)
            if found is None or found.lastgroup is None:
                raise NotPromQL(f"{text[place : place + 20]!r} is not understood")
            self._tokens.append((found.lastgroup, found[found.lastgroup]))
            place = found.end()
        self._tokens.append(("end", ""))

    def _take(self) -> tuple[str, str]:
        return self._tokens.pop(0)

    def _is(self, *values: str) -> bool:
        kind, value = self._tokens[0]
        return kind in ("name", "sign") and value in values

    def expect(self, kind: str, *values: str) -> str:
        found = self._take()
        if found[0] != kind or (values and found[1] not in values):
            raise NotPromQL(f"{' or '.join(values) or kind} is expected, not {found[1]!r}")
        return found[1]

    def expression(self) -> str:
        """Its kind: scalar, vector or range."""
        kind = self._operand()
        while self._is(*_OPERATORS):
            operator = self._take()[1]
            other = self._operand()
            if "range" in (kind, other):
                raise NotPromQL(f"a range beside {operator}")
            if operator in ("or", "and", "unless") and "scalar" in (kind, other):
                raise NotPromQL(f"a number beside {operator}")
            kind = "scalar" if (kind, other) == ("scalar", "scalar") else "vector"
        return kind

    def _operand(self) -> str:
        kind, value = self._take()
        if kind == "number":
            return "scalar"
        if (kind, value) == ("sign", "("):
            inner = self.expression()
            self.expect("sign", ")")
            return inner
        if kind != "name" or value in _OPERATORS:
            raise NotPromQL(f"an operand is expected, not {value!r}")
        if value in AGGREGATIONS:
            return self._aggregation()
        if self._is("("):
            return self._call(value)
        return self._selector(value)

    def _call(self, function: str) -> str:
        if function not in FUNCTIONS:
            raise NotPromQL(f"no function {function}")
        self.expect("sign", "(")
        for place, wanted in enumerate(FUNCTIONS[function]):
            if place:
                self.expect("sign", ",")
            if (given := self.expression()) != wanted:
                raise NotPromQL(f"{function} takes a {wanted} there, not a {given}")
        self.expect("sign", ")")
        return "vector"

    def _aggregation(self) -> str:
        if self._is("by", "without"):
            self._take()
            self.expect("sign", "(")
            self.named.grouped.add(self.expect("name"))
            while self.expect("sign", ",", ")") == ",":
                self.named.grouped.add(self.expect("name"))
        self.expect("sign", "(")
        if self.expression() != "vector":
            raise NotPromQL("what is aggregated is a vector")
        self.expect("sign", ")")
        return "vector"

    def _selector(self, metric: str) -> str:
        labels = self.named.metrics.setdefault(metric, set())
        if self._is("{"):
            self._take()
            while not self._is("}"):
                label = self.expect("name")
                operator = self.expect("sign", "=", "!=", "=~", "!~")
                text = self.expect("text")[1:-1]
                labels.add(label)
                self.named.matched.append((label, operator, text))
                if not self._is("}"):
                    self.expect("sign", ",")
            self._take()
        kind = "vector"
        if self._is("["):
            self._take()
            self.expect("duration")
            self.expect("sign", "]")
            kind = "range"
        if self._is("offset"):
            self._take()
            self.expect("duration")
        return kind
