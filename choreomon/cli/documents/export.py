"""`choreomon export`: a run, a log, or an interaction, for the tools of others."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from choreomon.cli import NOTHING_FOUND
from choreomon.cli.command_line.examples import examples
from choreomon.cli.command_line.explicit_options import refuse_explicit
from choreomon.cli.command_line.log_options import LOG_OPTIONS, LogChoices, log_options
from choreomon.cli.command_line.options import taken
from choreomon.cli.command_line.writing import WrittenPath, check_not_read, check_writable, write
from choreomon.cli.offline.export_log import OF_LOGS, is_exported_log, log_text
from choreomon.cli.simulation.monitor_options import rules_option, run_once, strategy_option
from choreomon.interaction_files.offline_kind import offline_kind

if TYPE_CHECKING:
    from choreomon.core.strategy_names import StrategyName
    from choreomon.logs.writers.recorded_run import RecordedRun
    from choreomon.properties.tables import RulesName

OF_RUNS: Final = ("shiviz", "otlp", "mermaid", "plantuml")
OF_INTERACTIONS: Final = ("mermaid", "plantuml", "hif", "json")
_FORMATS: Final = tuple(dict.fromkeys((*OF_RUNS, *OF_LOGS, *OF_INTERACTIONS)))
_TRACE: Final = re.compile(r"run-(\d+)")
_MADE: Final = ("strategy", "rules")


@click.command(
    "export",
    epilog=examples(
        (
            "choreomon export scenarios/lock-violating.yaml --to shiviz",
            "Write a run of it for ShiViz.",
        ),
        (
            "choreomon export order.hif --to mermaid",
            "Write an interaction as a diagram in Mermaid.",
        ),
    ),
)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path())
@click.option("--to", "form", required=True, type=click.Choice(_FORMATS), help="The format.")
@click.option("-o", "--output", type=WrittenPath(printed=True), help="Write a file instead.")
@click.option(
    "--seed",
    type=int,
    help="Of a document: the seed of the run (default 0); of results: whose verdicts are taken.",
)
@strategy_option("Of a document: the strategy of the monitors.")
@rules_option("Of a document: the rules of the monitors.")
@click.option(
    "--results",
    type=click.Path(),
    help="Of a trace: what `simulate --json` or `run --json` printed, for the verdicts.",
)
@click.option("--session", help="Of a log: only what belongs to this session.")
@log_options()
@click.pass_context
def command(
    context: click.Context,
    /,
    files: tuple[str, ...],
    form: str,
    output: Path | None,
    seed: int | None,
    strategy: StrategyName,
    rules: RulesName | None,
    results: str | None,
    session: str | None,
    **choices: Any,
) -> int:
    """Write the run, the log or the interaction in FILE as other tools read it.

    A trace (run-<seed>.jsonl, as --trace of `simulate` and `run` writes it): the run that it
    tells. A document: a run of its application with its monitors. Either as a ShiViz log, as spans
    of OpenTelemetry in OTLP JSON, or as a sequence diagram in Mermaid or PlantUML.

    A log (docs/logs.md), or several of one system: the events as a ShiViz log, in OTLP JSON, as
    lines of JSON, or as a sequence diagram.

    An interaction (.hif, .hsf, .mmd, .puml, .json): itself in Mermaid, PlantUML, .hif or JSON.
    """
    if output is not None:
        check_not_read(output, (*files, results, choices["mapping"]))
    logs = taken(LogChoices, choices)
    if len(files) > 1 or is_exported_log(files[0], logs):
        refuse_explicit(context, ("seed", *_MADE, "results"), "with a document or a trace")
        _check_format(files[0], form, OF_LOGS, "a log")
        _put(log_text(files, form, logs, session), output)
        return NOTHING_FOUND
    refuse_explicit(context, (*LOG_OPTIONS, "session_key", "session"), "with logs")
    (file,) = files
    kind = offline_kind(file)
    if kind in ("interaction", "signature"):
        refuse_explicit(context, ("seed", *_MADE, "results"), "with runs")
        _check_format(file, form, OF_INTERACTIONS, "an interaction")
        text, code = _interaction(file, form), NOTHING_FOUND
    elif kind == "multi-trace" and Path(file).suffix.lower() == ".jsonl":
        refuse_explicit(context, _MADE, "with documents: this run has been made")
        if results is None:
            refuse_explicit(context, ("seed",), "with documents, and with --results")
        _check_format(file, form, OF_RUNS, "a run")
        text, code = _text(_of_trace(file, results, seed), form, file), NOTHING_FOUND
    elif kind is None:
        refuse_explicit(context, ("results",), "with traces: this run is made with its verdicts")
        _check_format(file, form, OF_RUNS, "a run")
        if output is not None:
            check_writable(output)
        run, code = _of_document(file, seed or 0, strategy, rules)
        text = _text(run, form, file)
    else:
        raise click.UsageError(f"{file} holds no run and no interaction")
    _put(text, output)
    return code


def _put(text: str, output: Path | None) -> None:
    if output is None:
        click.echo(text, nl=False)
    else:
        write(output, text)


def _check_format(file: str, form: str, forms: tuple[str, ...], what: str) -> None:
    if form not in forms:
        raise click.UsageError(f"{file} is {what}: --to is one of {', '.join(forms)}")


def _interaction(file: str, form: str) -> str:
    from choreomon.documents.interactions import load_interaction
    from choreomon.hibou.interaction import write_interaction
    from choreomon.interaction_files.offline_json import write_interaction_json
    from choreomon.pictures.as_text.sequence_text import mermaid_sequence, plantuml_sequence

    interaction = load_interaction(file)
    writers: dict[str, Any] = {
        "mermaid": mermaid_sequence,
        "plantuml": plantuml_sequence,
        "hif": write_interaction,
        "json": write_interaction_json,
    }
    try:
        text: str = writers[form](interaction)
    except ValueError as error:
        raise click.ClickException(f"{file}: {error}") from None
    return text if text.endswith("\n") else f"{text}\n"


def _of_trace(file: str, results: str | None, seed: int | None) -> RecordedRun:
    from choreomon.files.input_files import lines, whole
    from choreomon.logs.writers.recorded_run import read_recorded_run, read_verdicts

    named = _TRACE.fullmatch(Path(file).stem)
    if seed is None and named is not None:
        seed = int(named[1])
    verdicts = () if results is None else read_verdicts(whole(results), seed, results)
    return read_recorded_run(lines(file), Path(file).stem, verdicts, file)


def _of_document(
    file: str, seed: int, strategy: StrategyName, rules: RulesName | None
) -> tuple[RecordedRun, int]:
    from choreomon.cli.command_line.own_simulator import require_own_simulator
    from choreomon.documents.read import load_document
    from choreomon.logs.writers.recorded_run import recorded

    require_own_simulator()
    run, code = run_once(load_document(file), seed, strategy, rules)
    return recorded(run), code


def _text(run: RecordedRun, form: str, file: str) -> str:
    from choreomon.logs.writers.otlp import otlp_request
    from choreomon.logs.writers.shiviz import shiviz_log
    from choreomon.pictures.as_text.run_text import mermaid_run, plantuml_run

    try:
        if form == "shiviz":
            return shiviz_log(run)
        if form == "otlp":
            return otlp_request(run)
        write_text = mermaid_run if form == "mermaid" else plantuml_run
        return write_text(run.events, run.processes, run.verdicts)
    except ValueError as error:
        raise click.ClickException(f"{file}: {error}") from None
