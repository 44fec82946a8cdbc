"""The grammar itself: what Prometheus takes of our kind it takes, and slips it notices."""

from __future__ import annotations

import pytest

from tests.deploy.promql import NotPromQL, filled, named_in


def test_what_is_named_is_found() -> None:
    named = named_in('sum by (le, instance) (rate(a_bucket{job=~"x|y",kind!="z"}[5m])) / 2 > b')
    assert named.metrics == {"a_bucket": {"job", "kind"}, "b": set()}
    assert named.grouped == {"le", "instance"}
    assert named.matched == [("job", "=~", "x|y"), ("kind", "!=", "z")]


@pytest.mark.parametrize(
    "expression",
    [
        "up == 0",
        "(up)",
        "count(up == 0) or vector(0)",
        "histogram_quantile(0.99, sum by (le) (rate(a_bucket[1h])))",
        'a{b="\\"}"}',
        "a{} - b",
    ],
)
def test_expressions_are_taken(expression: str) -> None:
    named_in(expression)


@pytest.mark.parametrize(
    "expression",
    [
        *("", "up ==", "== 0", "(up", "up)", "a b", "a[5m]", "a[5]", "increase(a)"),
        *("increase(a[5m)", "incraese(a[5m])", "sum by le (a)", "sum(1)", "a{b=c}", "a{b}"),
        *("a{b='c'}", "histogram_quantile(a, b)", "rate(a[5m]", "1 or a", "a[5m] > 0", 'a{b="c"'),
        *('a{b="c" d="e"}', "$job", "a;b"),
    ],
)
def test_slips_are_noticed(expression: str) -> None:
    with pytest.raises(NotPromQL):
        named_in(expression)


def test_variables_of_grafana_are_filled_in() -> None:
    named_in(filled('rate(a{job=~"$job",instance=~"$instance"}[$__rate_interval])'))
