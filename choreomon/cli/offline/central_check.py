"""`choreomon central-check`: what the areas of several machines come to."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from choreomon.cli import NOTHING_FOUND, ONLY_POSSIBLE, VIOLATION
from choreomon.cli.command_line.examples import examples

if TYPE_CHECKING:
    from choreomon.automata.automaton import Automaton
    from choreomon.verify.central_check import Area, CentralCheck


@click.command(
    "central-check",
    epilog=examples(
        (
            "choreomon central-check --automaton order.json shop.area.json bank.area.json",
            "Do the logs of shop and bank go together?",
        ),
        (
            "choreomon central-check --automaton order.json shop.area.json --json",
            "The same of one area, for a program.",
        ),
    ),
)
@click.argument("areas", metavar="AREA...", nargs=-1, required=True, type=click.Path())
@click.option(
    "--automaton",
    required=True,
    type=click.Path(),
    help="The automaton of which the verifiers were made: .json.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(areas: tuple[str, ...], automaton: str, as_json: bool) -> int:
    """Say whether logs go together, by the AREAs that choreomon local-check wrote of them.

    Areas alone can show that a log is wrong by itself, or that no accepted execution goes through
    all of them. To show that logs are right, logs are needed: the output says which, and
    local-check --with-trace sends them along.

    Exit codes: 0 they fit, 1 they do not, 2 bad usage or input, 3 more is needed.
    """
    from choreomon.interaction_files.automaton_file import load_automaton
    from choreomon.interaction_files.verifier_file import load_area
    from choreomon.verify.central_check import central_check

    one = load_automaton(automaton)
    read = [load_area(path) for path in areas]
    _check(areas, read, automaton, one)
    found = central_check(one, read)
    if as_json:
        click.echo(json.dumps(_facts(found, read[0].mode)))
    else:
        for line in _told(found):
            click.echo(line)
    if found.verdict is None:
        return ONLY_POSSIBLE
    return NOTHING_FOUND if found.verdict.passes else VIOLATION


def _check(paths: tuple[str, ...], areas: list[Area], file: str, automaton: Automaton) -> None:
    """Raises `ClickException` for areas of another automaton, of several modes, or of one lifeline
    twice."""
    from choreomon.interaction_files.verifier_file import foreign

    where: dict[str, str] = {}
    for path, area in zip(paths, areas, strict=True):
        if told := foreign(area, automaton):
            raise click.ClickException(f"{path}: {told} than {file}")
        if area.mode != areas[0].mode:
            told = f"answers {area.mode}, and {paths[0]} answers {areas[0].mode}"
            raise click.ClickException(f"{path}: {told}: give local-check one --mode")
        for name in area.lifelines:
            if name in where:
                raise click.ClickException(f"{path}: {name} is in {where[name]}, too")
            where[name] = path


def _facts(found: CentralCheck, mode: str) -> dict[str, object]:
    return {
        "mode": mode,
        "verdict": None if found.verdict is None else found.verdict.value,
        "fault": None if found.fault is None else found.fault.as_json(),
        "needs": {
            "areas": list(found.lifelines),
            "traces": [list(location) for location in found.traces],
        },
    }


def _told(found: CentralCheck) -> list[str]:
    from choreomon.sentences.fault_sentences import fault_sentences, location_name

    if found.verdict is not None:
        lines = [] if found.fault is None else fault_sentences(found.fault)
        return [found.verdict.value, *(f"  {line}" for line in lines)]
    lines = ["not known: areas alone do not tell"]
    if found.lifelines:
        lines.append(f"  no area of {', '.join(found.lifelines)}")
    if found.traces:
        names = ", ".join(map(location_name, found.traces))
        lines.append(f"  no trace of {names}: choreomon local-check --with-trace sends it")
    return lines
