"""The command line: one thin adapter a command.

Exit codes: 0 nothing found, 1 a violation or logs that do not fit, 2 bad usage or input, 3 only
possible violations or logs of which that is not known, 70 an error of choreomon itself; 130, 143
and 129 where SIGINT, SIGTERM or SIGHUP ended it (`choreomon.cli.command_line.signals`), and 141
where nobody read its output to the end, as a shell has it. Heavy imports happen inside of commands,
so that `choreomon --help` answers at once.
"""

from __future__ import annotations

import io
import os
import signal
import sys
from typing import Final, TextIO

import click

from choreomon.cli.command_line.lazy import LazyGroup
from choreomon.cli.command_line.signals import Arrived, Ended, ended_by_signals, ended_code

NOTHING_FOUND: Final = 0
VIOLATION: Final = 1
BAD_INPUT: Final = 2
ONLY_POSSIBLE: Final = 3
INTERNAL_ERROR: Final = 70
NOBODY_READS: Final = 141

_DOCUMENTS: Final = {
    "init": ("choreomon.cli.documents.init", "Write a property to begin with."),
    "example": ("choreomon.cli.documents.example", "Write a scenario that comes with choreomon."),
    "check": ("choreomon.cli.documents.check", "Validate a document, or say what is in a file."),
    "draw": (
        "choreomon.cli.documents.draw",
        "Draw a property, a run, an interaction, or an analysis.",
    ),
    "export": (
        "choreomon.cli.documents.export",
        "Write a run, a log or an interaction for other tools.",
    ),
    "schema": ("choreomon.cli.documents.schema", "Print the JSON Schema of documents."),
}
_SIMULATION: Final = {
    "simulate": (
        "choreomon.cli.simulation.simulate",
        "Run an application and monitors in virtual time.",
    ),
    "run": ("choreomon.cli.simulation.run", "Run an application and monitors as processes."),
    "generate": (
        "choreomon.cli.simulation.generate",
        "Draw an application and forbidden sequences at random.",
    ),
}
_ONLINE: Final = {
    "split": ("choreomon.cli.online.split", "Split a property into a file for each agent."),
    "keygen": ("choreomon.cli.online.keygen", "Make the keys by which agents know each other."),
    "agent": ("choreomon.cli.online.agent", "Monitor one process of a running system."),
    "watch": ("choreomon.cli.online.watch", "Watch live agents: what they do, and their verdicts."),
}
_OFFLINE: Final = {
    "look": ("choreomon.cli.offline.look", "Show what is in logs."),
    "audit": ("choreomon.cli.offline.audit", "Say whether logs did what is forbidden."),
    "verify": ("choreomon.cli.offline.verify", "Verify logs against an interaction."),
    "join": ("choreomon.cli.offline.join", "Put the logs of several machines together."),
    "slice": ("choreomon.cli.offline.slice", "Cut pieces out of multi-traces."),
    "mutate": ("choreomon.cli.offline.mutate", "Make mutants of multi-traces."),
    "synthesize": ("choreomon.cli.offline.synthesize", "Make an automaton of an interaction."),
    "local-check": (
        "choreomon.cli.offline.local_check",
        "Check a log where it is, by a local verifier.",
    ),
    "central-check": (
        "choreomon.cli.offline.central_check",
        "Combine the results of local checks into one verdict.",
    ),
}
_INTERACTIONS: Final = {
    "explore": (
        "choreomon.cli.interactions.explore",
        "Explore the executions of an interaction.",
    ),
    "canonize": (
        "choreomon.cli.interactions.canonize",
        "Print the normal form of an interaction.",
    ),
    "generate-interaction": (
        "choreomon.cli.interactions.generate_interaction",
        "Draw interactions at random.",
    ),
}
_EXPERIMENTS: Final = {
    "experiment": ("choreomon.cli.experiments.group", "Repeat an experiment of the papers."),
}
_FAMILIES: Final = {
    "Documents": _DOCUMENTS,
    "Simulation": _SIMULATION,
    "Live systems": _ONLINE,
    "Logs": _OFFLINE,
    "Interactions": _INTERACTIONS,
    "Experiments": _EXPERIMENTS,
}


EXIT_CODES: Final = """\b
Exit codes:
  0    nothing found; all logs fit
  1    a violation; logs that do not fit
  2    bad usage or input; the message says what would be right
  3    possible violations only; logs that could not be decided
  70   an error of choreomon itself: please report it
  129, 130, 143
       ended by SIGHUP, by SIGINT (Ctrl-C), by SIGTERM
  141  nobody read the output to its end"""
"""The end of `choreomon --help`, and the table in README.md."""


def version() -> str | None:
    """Return the version of choreomon; None if it is not installed."""
    from importlib import metadata

    try:
        return metadata.version("choreomon")
    except metadata.PackageNotFoundError:
        return None


def _version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        known = version()
        click.echo(
            f"choreomon{f' {known}' if known else ', from a checkout that is not installed'}"
        )
        context.exit()


@click.group(
    cls=LazyGroup,
    families=_FAMILIES,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EXIT_CODES,
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show the version and exit.",
)
def group() -> None:
    """Find out whether forbidden message sequences happened, and whether logs fit an
    interaction, without a global clock."""


def main() -> None:
    """The console script."""
    output_closed = sys.stdout is None
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a poor terminal is no error of ours
            stream.reconfigure(errors="backslashreplace")
    try:
        if output_closed:
            click.echo("the output is closed: nothing can be shown", err=True)
        with ended_by_signals() as arrived:
            code = BAD_INPUT if output_closed else _code(arrived)
    except Ended as ended:  # the command was over but for its last words
        code = ended_code(ended)
    except OSError as error:  # the error itself cannot be printed
        _discard(sys.stderr)
        code = NOBODY_READS if isinstance(error, BrokenPipeError) else BAD_INPUT
    sys.exit(code)


def _open_closed_streams() -> None:
    """Open streams that were closed before the start to nowhere: else what is written to them would
    go into the first file that is opened, which would be given their descriptor."""
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            if nowhere != descriptor:
                os.dup2(nowhere, descriptor)
                os.close(nowhere)
            setattr(sys, name, os.fdopen(descriptor, "w", encoding="utf-8", closefd=False))


def _discard(stream: TextIO) -> None:
    """Discard the buffer of the stream, which Python would write at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _code(arrived: Arrived) -> int:
    """Run the command that the arguments name; the exit code."""
    try:
        with arrived.not_disguised():
            code: int = group.main(prog_name="choreomon", standalone_mode=False) or NOTHING_FOUND
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return BAD_INPUT
    except (click.Abort, KeyboardInterrupt) as error:
        ended = error.__cause__ if isinstance(error, click.Abort) else error
        terminated = isinstance(ended, Ended) and ended.number != signal.SIGINT
        click.echo("terminated" if terminated else "interrupted", err=True)
        return ended_code(ended)
    except (SystemExit, BrokenPipeError) as error:
        if isinstance(error, SystemExit) and not error.code:  # a script for shells was asked for
            sys.stdout.flush()
            return NOTHING_FOUND
        # If the reader of our output leaves, as `head` does, click and rich end with
        # exit code 1, which would be a violation.
        _discard(sys.stdout)
        return NOBODY_READS
    except OSError as error:
        click.echo(f"{error.filename or 'the output'}: {error.strerror or error}", err=True)
        return BAD_INPUT
    except Exception as error:
        from choreomon.core.errors import ChoreomonError, InternalError, MissingExtra

        if isinstance(error, MissingExtra):
            from choreomon.cli.command_line.installation import install_command

            besides = f" ({error.instead})" if error.instead else ""
            click.echo(f"{error.what}: {install_command(error.extra)}{besides}", err=True)
            return BAD_INPUT
        if isinstance(error, ChoreomonError) and not isinstance(error, InternalError):
            click.echo(str(error), err=True)
            return BAD_INPUT
        # Python's own exit code for this is that of a violation.
        import traceback

        traceback.print_exc()
        click.echo("an error of choreomon itself: please report it with the above", err=True)
        return INTERNAL_ERROR
    return code
