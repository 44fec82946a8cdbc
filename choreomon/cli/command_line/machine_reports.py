"""Reports for build servers and code hosts: JUnit XML and SARIF, of whatever was found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from choreomon.cli.command_line.options import added
from choreomon.cli.command_line.writing import (
    WrittenPath,
    write,
)

if TYPE_CHECKING:
    from choreomon.reports.junit import Case
    from choreomon.reports.sarif import Finding

_Command = TypeVar("_Command", bound=Callable[..., Any])


def report_options(command: _Command) -> _Command:
    """`junit` and `sarif`: files, or None."""
    return added(
        click.option("--junit", type=WrittenPath(), help="Write the results as JUnit XML, too."),
        click.option(
            "--sarif", type=WrittenPath(), help="Write what is wrong as SARIF 2.1.0, too."
        ),
    )(command)


class MachineReports(NamedTuple):
    """The reports that are wanted."""

    junit: Path | None
    sarif: Path | None

    @property
    def wanted(self) -> bool:
        return self.junit is not None or self.sarif is not None

    def write(
        self,
        suite: str,
        cases: Iterable[Case],
        findings: Iterable[Finding],
        problems: Sequence[str] = (),
    ) -> None:
        """Write the reports that were asked for. Raises `ClickException`."""
        if self.junit is not None:
            from choreomon.reports.junit import junit_xml

            write(self.junit, junit_xml(suite, cases))
        if self.sarif is not None:
            from choreomon.cli import version
            from choreomon.reports.sarif import sarif_text

            text = sarif_text([*findings], version=version() or "0", problems=problems)
            write(self.sarif, text + "\n")
