"""Rows as lines of CSV, and back: text that is the same for the same rows, and loses nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import astuple, fields
from types import MappingProxyType
from typing import Any, Final

from choreomon.experiments.monitoring.cells import Cell, Measured, Row

Value = str | int | float | None

PARAMETERS: Final = tuple(field.name for field in fields(Cell))
COLUMNS: Final = (*PARAMETERS, *Measured._fields)
HEADER: Final = ",".join(COLUMNS)


def _optional(text: str) -> float | None:
    return float(text) if text else None


_READ: Final[Mapping[str, Callable[[str], Value]]] = MappingProxyType(
    {
        **dict.fromkeys(COLUMNS, int),
        **dict.fromkeys(("experiment", "complexity", "strategy", "rules", "outcome"), str),
        **dict.fromkeys(("cancellations", "branching", "memory"), float),
        **dict.fromkeys(("waiting", "latency"), _optional),
    }
)


def values(row: Row) -> tuple[Value, ...]:
    """The values of a row, in the order of `COLUMNS`."""
    return (*astuple(row.cell), *row.measured)


def line(row: Row) -> str:
    """The line of a row, without its end. Nothing in it needs quotes."""
    return ",".join("" if value is None else str(value) for value in values(row))


def row_of(text: str) -> Row:
    """The row of a line. Raises `ValueError` for any other text."""
    parts = text.split(",")
    if len(parts) != len(COLUMNS):
        raise ValueError(f"{len(parts)} columns, not {len(COLUMNS)}")
    found: list[Any] = [_READ[column](part) for column, part in zip(COLUMNS, parts, strict=True)]
    number = len(PARAMETERS)
    cell = Cell(**dict(zip(PARAMETERS, found[:number], strict=True)))
    return Row(cell, Measured(*found[number:]))
