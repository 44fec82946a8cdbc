"""Audits of a property for each instance: `audit` where the document has `for_each`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NoReturn

import click

from choreomon.cli.command_line.chosen_instances import chosen_values
from choreomon.cli.offline.some_order import in_some_order, read_through

if TYPE_CHECKING:
    from choreomon.audit.summary import Summary
    from choreomon.batch.audits.question import AuditQuestion
    from choreomon.cli.command_line.log_options import LogReading
    from choreomon.core.binding import Binding
    from choreomon.properties.instances import Parameters


def refuse_sessions(file: str, parameters: Parameters) -> NoReturn:
    """Raises `UsageError`: sessions and growing logs are for properties of a whole run."""
    raise click.UsageError(
        f"{file}: is for each {', '.join(parameters.names)}: leave out what tells sessions "
        "apart, and --follow"
    )


def judged_instances(
    question: AuditQuestion,
    parameters: Parameters,
    reading: LogReading,
    logs: Sequence[str],
    of: Sequence[str],
) -> Summary:
    """Judge each instance of a property by itself, of those that agree with `of` (`--for`). Raises
    `UsageError` for other parameters."""
    from choreomon.audit.instances import InstancesAuditor
    from choreomon.audit.summary import BEFORE
    from choreomon.core.binding import in_words

    only = _chosen(of, parameters)

    def judge(*, mend: bool) -> Summary:
        auditor = InstancesAuditor(
            question.automaton,
            parameters,
            incomplete=question.incomplete,
            limits=question.limits,
            only=only,
            roles=question.roles,
        )
        read_through(auditor, partial(auditor.summary.tell, BEFORE), reading, logs, mend=mend)
        return auditor.finish()

    strict = question.strict
    summary = in_some_order(judge, lambda found: found.strange, logs, strict=strict)
    if only and not summary.sessions:
        click.echo(f"warning: no instance in these logs has {in_words(only)}", err=True)
    return summary


def _chosen(of: Sequence[str], parameters: Parameters) -> Binding:
    """The binding that instances have to agree with. Raises `UsageError`."""
    from choreomon.core.suggestion import unknown

    chosen = chosen_values(of)
    for name in chosen:
        if name not in parameters.names:
            told = unknown("parameter", name, parameters.names)
            raise click.UsageError(f"--for: {told}")
    return tuple(sorted(chosen.items()))
