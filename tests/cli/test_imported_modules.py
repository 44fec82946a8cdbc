"""What a command imports, and nothing else: by it starting is as quick as it is.

`benchmarks/start_up.py` measures what that comes to. A name that is new here costs time whenever
somebody calls the command: is it needed there?
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from tests.cli.command_line import ROOT, choreomon
from tests.cli.offline import write_offline_files

CONSOLE_SCRIPT: Final = "from choreomon.cli import main; main()"

COMPLETION: Final = {
    "_CHOREOMON_COMPLETE": "bash_complete",
    "COMP_WORDS": "choreomon ve",
    "COMP_CWORD": "1",
}

HELP: Final = frozenset(
    ["choreomon", "choreomon.cli", "choreomon.cli.command_line", "choreomon.batch", "click"]
)
"""Of `choreomon.batch` it is what signals do."""
VALUES: Final = frozenset(["choreomon.core", "choreomon.interaction", "choreomon.multitrace"])
DECIDING: Final = frozenset(["choreomon.automata", "choreomon.verify", "choreomon.verify.papers"])
HIBOU: Final = frozenset(["choreomon.files", "choreomon.hibou", "choreomon.interaction_files"])
VERIFYING: Final = {
    *(HELP | VALUES | DECIDING | HIBOU),
    *("choreomon.cli.offline", "choreomon.documents", "choreomon.logs"),
}
CHECKING: Final = HELP | {
    *("choreomon.cli.documents", "choreomon.cli.online", "choreomon.core", "choreomon.documents"),
    *("choreomon.files", "choreomon.interaction_files", "choreomon.properties"),
    *("choreomon.sentences", "choreomon.terminal"),
}
DOCUMENTS: Final = frozenset(
    ["choreomon.actors", "choreomon.interaction", "choreomon.verify", "yaml", "rich"]
)
DECLARING: Final = (HELP | DOCUMENTS) | {
    *("choreomon.core", "choreomon.documents", "choreomon.files", "choreomon.logs"),
    *("choreomon.monitor", "choreomon.properties", "choreomon.sentences", "choreomon.terminal"),
    *("msgspec", "typing_extensions"),
}
SIMULATING: Final = DECLARING | {
    *("choreomon.agent_files", "choreomon.agent_files.clocks"),
    *("choreomon.cli.simulation", "choreomon.monitor.of_instances", "choreomon.reports"),
    *("immutables", "simulator"),
}
AUDITING: Final = DECLARING | {
    *("choreomon.audit", "choreomon.batch.audits", "choreomon.cli.offline"),
    *("choreomon.logs.mappings", "choreomon.logs.readers", "regex"),
}

IMPORTED: Final = {
    "--help": HELP,
    "--version": HELP,
    "verify -i i.hif pass.htf": VERIFYING | {"choreomon.terminal"},
    "verify -i i.hif pass.htf --json": VERIFYING | {"choreomon.reports"},
    "check i.hif": CHECKING | VALUES | HIBOU,
    "check property.yaml": CHECKING | DOCUMENTS,
    "simulate conforming.yaml": SIMULATING,
    "audit conforming.yaml run-0.jsonl": AUDITING,
}
"""Third-party packages and choreomon's own, by what is asked for."""


def modules_after(statement: str, *arguments: str, **environment: str) -> set[str]:
    """All that is imported in a process that does this with these arguments; not what modules make
    up in memory."""
    program = (
        "import json, sys\n"
        f"sys.argv = ['choreomon', *{[*arguments]!r}]\n"
        f"try:\n    {statement}\n"
        "finally:\n    print(json.dumps([name for name, one in sys.modules.items() "
        "if getattr(one, '__spec__', None)]), file=sys.stderr)"
    )
    finished = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return {*json.loads(finished.stderr.splitlines()[-1])}


@cache
def there_anyway() -> frozenset[str]:
    """First names of what any process has, with what installations add to it."""
    return frozenset(name.partition(".")[0] for name in modules_after("pass"))


def packages(modules: set[str]) -> set[str]:
    """Third-party packages by their first name, choreomon's own in full; without what compiled
    ones keep to themselves, whose names begin with `_`."""
    own = {name.rpartition(".")[0] for name in modules if name.startswith("choreomon.")}
    others = {name.partition(".")[0] for name in modules if not name.startswith("_")}
    return own | (others - there_anyway() - {*sys.stdlib_module_names} - {"choreomon"})


@pytest.fixture(autouse=True)
def _files(place: Path) -> None:
    write_offline_files(place)
    assert choreomon("simulate", "conforming.yaml", "--trace", ".").code == 0


@pytest.mark.parametrize("asked", IMPORTED)
def test_a_command_imports_what_it_uses(asked: str) -> None:
    found = packages(modules_after(CONSOLE_SCRIPT, *asked.split()))
    assert sorted(found) == sorted(IMPORTED[asked])


def test_a_shell_that_completes_imports_what_help_does() -> None:
    assert packages(modules_after(CONSOLE_SCRIPT, **COMPLETION)) == HELP


def test_whoever_fails_is_explained_by_what_whoever_passes_does_without() -> None:
    """So that the lists above are not short because nothing is seen."""
    program = f"try:\n        {CONSOLE_SCRIPT}\n    except SystemExit: pass"
    explained = modules_after(program, "verify", "-i", "i.hif", "fail.htf", "--explain")
    assert packages(explained) >= VERIFYING | {"choreomon.terminal", "rich"}


@pytest.mark.parametrize(
    "module",
    [
        *("choreomon.verify.explanation", "choreomon.verify.blame", "choreomon.verify.exact"),
        *("choreomon.verify.papers.engine", "choreomon.batch.workers"),
        *("choreomon.hibou.configuration", "choreomon.terminal.outcomes", "multiprocessing"),
    ],
)
def test_what_passes_is_neither_searched_nor_explained(module: str) -> None:
    Path("tiny.hif").write_text("strict(a -- m -> b, b -- n -> a)\n", encoding="utf-8")
    Path("tiny.htf").write_text("[a] a!m.a?n; [b] b?m.b!n\n", encoding="utf-8")
    assert module not in modules_after(CONSOLE_SCRIPT, "verify", "-i", "tiny.hif", "tiny.htf")
