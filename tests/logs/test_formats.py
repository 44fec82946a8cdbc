"""The table of formats agrees with what cannot be derived from it."""

from __future__ import annotations

from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import get_args

import pytest

from choreomon.cli import group
from choreomon.logs.formats import FORMATS, LogFormat, MappedFormat
from choreomon.logs.mappings.mapping_document import built_in
from choreomon.logs.readers.detection import format_of
from tests.logs.readers.logs_for_tests import ALL, events

LOGS = Path(__file__).parents[2] / "docs" / "logs.md"


def test_the_types_name_the_formats_of_the_table() -> None:
    assert get_args(LogFormat) == tuple(FORMATS)
    mapped = {name for name, each in FORMATS.items() if "mapping" in each.fits}
    assert set(get_args(MappedFormat)) == mapped


@pytest.mark.parametrize("name", FORMATS)
def test_the_reader_and_the_mapping_of_a_format_are_there(name: LogFormat) -> None:
    module, function = FORMATS[name].reader.split(":")
    reader = getattr(import_module(f"choreomon.logs.readers.{module}"), function)
    assert len(signature(reader).parameters) == 2
    if (mapping := FORMATS[name].mapping) is not None:
        assert built_in(mapping).format in (None, name)


def test_each_format_is_recognised_in_a_log_of_it() -> None:
    assert {format_of(text.encode(), "l") for text in ALL.values()} == set(FORMATS)


@pytest.mark.parametrize("name", [name for name, each in FORMATS.items() if each.divisible])
def test_any_lines_of_a_divisible_log_can_be_read_alone(name: LogFormat) -> None:
    lines = ALL[name].splitlines(keepends=True)
    apart = [each._replace(place=None) for line in lines for each in events(line, name)]
    assert apart == [each._replace(place=None) for each in events(ALL[name], name)]


@pytest.mark.parametrize("option", ["parser", "delimiter"])
def test_the_page_names_the_formats_that_an_option_fits(option: str) -> None:
    fit = [name for name, each in FORMATS.items() if option in each.fits]
    told = f" | of {' and '.join(f'`{name}`' for name in fit)}: "
    assert f"| `--{option} REGEX`{told}" in LOGS.read_text(encoding="utf-8")


def test_commands_offer_the_formats_of_the_table() -> None:
    for command in ("audit", "verify", "join", "export", "draw"):
        found = group.get_command(None, command)  # type: ignore[arg-type]
        assert found is not None
        (option,) = (one for one in found.params if one.name == "log_format")
        assert [*option.type.choices] == [*FORMATS]  # type: ignore[attr-defined]
