"""The command line: one thin adapter a command.

Exit codes: 0 nothing found, 1 a violation, 2 bad usage or input, 3 only possible
violations, 70 an error of choreomon itself. Heavy imports happen inside of commands, so
that `choreomon --help` answers at once.
"""

from __future__ import annotations

import sys
import traceback
from typing import Final

import click

from choreomon.cli.lazy import LazyGroup

NOTHING_FOUND: Final = 0
VIOLATION: Final = 1
BAD_INPUT: Final = 2
ONLY_POSSIBLE: Final = 3
INTERNAL_ERROR: Final = 70

_COMMANDS: Final = {
    "check": ("choreomon.cli.check", "Validate a document and explain its property."),
    "draw": ("choreomon.cli.draw", "Draw the automaton of a property, or a run."),
    "simulate": ("choreomon.cli.simulate", "Run an application with its monitors."),
    "schema": ("choreomon.cli.schema", "Print the JSON Schema of documents."),
}


@click.group(
    cls=LazyGroup,
    commands_at=_COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 nothing found, 1 violation, 2 bad usage or input, "
    "3 only possible violations.",
)
@click.version_option(package_name="choreomon", message="%(prog)s %(version)s")
def group() -> None:
    """Find out whether forbidden message sequences happened, without a global clock."""


def main() -> None:
    """The console script."""
    from choreomon.core.errors import ChoreomonError

    try:
        code = group.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        code = BAD_INPUT
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        code = 130
    except ChoreomonError as error:
        click.echo(str(error), err=True)
        code = BAD_INPUT
    except BrokenPipeError:
        # The reader of our output went away, as `head` does: nobody is left to tell.
        sys.stderr.close()
        code = NOTHING_FOUND
    except Exception:
        # Python's own exit code for this is that of a violation.
        traceback.print_exc()
        click.echo("an error of choreomon itself: please report it with the above", err=True)
        code = INTERNAL_ERROR
    sys.exit(code)
