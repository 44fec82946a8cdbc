"""What is written is accepted by Mermaid's parser, and by PlantUML.

`make diagram-tools` gets both into `build/diagram-tools`, from where they are taken; Node.js and
Java run them. Where something of that is missing, the tests are skipped, and say what.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from shutil import which

import pytest

from choreomon.core.action import Action
from choreomon.interaction.generation import ALL_OPERATORS
from choreomon.interaction.lifelines import mask
from choreomon.interaction.term import EMPTY, Interaction, act, alt, coreg, loop_s, seq, strict
from choreomon.render.run_text import mermaid_run, plantuml_run
from choreomon.render.sequence_text import mermaid_sequence, plantuml_sequence
from tests.formats.diagrams.samples import HOSTILE
from tests.formats.exported.runs_to_export import SCENARIOS, run_of
from tests.interaction.drawn import interactions

ROOT = Path(__file__).parents[3]
TOOLS = ROOT / "build" / "diagram-tools"
PARSER = Path(__file__).with_name("mermaid_parser.mjs")
WITHIN = 300.0
"""Seconds after which a tool that has not answered is given up."""


def refused_by_mermaid(texts: Sequence[str], place: Path) -> list[str]:
    """What Mermaid says of those of the texts that it does not accept."""
    node = which("node")
    if node is None or not (TOOLS / "node_modules" / "mermaid").is_dir():
        pytest.skip("needs Node.js, and Mermaid in build/diagram-tools: make diagram-tools")
    answer = subprocess.run(
        [node, str(PARSER), str(TOOLS)],
        input=json.dumps(texts),
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=WITHIN,
        cwd=place,
    )
    found = json.loads(answer.stdout)
    assert len(found) == len(texts)
    return [f"{text}\n{said}" for text, said in zip(texts, found, strict=True) if said]


def refused_by_plantuml(texts: Sequence[str], place: Path) -> list[str]:
    """What PlantUML says of them as a whole, one line if it refuses some."""
    java, jars = which("java"), sorted(TOOLS.glob("plantuml-*.jar"))
    if java is None or not jars:
        pytest.skip("needs Java, and PlantUML in build/diagram-tools: make diagram-tools")
    folder = place / "diagrams"
    folder.mkdir()
    for number, text in enumerate(texts):
        folder.joinpath(f"{number:04}.puml").write_text(text, encoding="utf-8")
    answer = subprocess.run(
        [java, "-Djava.awt.headless=true", "-jar", str(jars[-1]), "-checkonly", str(folder)],
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=WITHIN,
    )
    return [answer.stdout + answer.stderr] if answer.returncode else []


Refused = Callable[[Sequence[str], Path], list[str]]
each = pytest.mark.parametrize(
    ("write", "write_run", "refused"),
    [
        (mermaid_sequence, mermaid_run, refused_by_mermaid),
        (plantuml_sequence, plantuml_run, refused_by_plantuml),
    ],
    ids=["mermaid", "plantuml"],
)


def samples() -> list[Interaction]:
    """Interactions with all operators, and with all names that might mean something."""
    found = [EMPTY, *interactions(3, 150, max_size=30)]
    for name in HOSTILE:
        sent = act(Action(name, "!", name))
        passed = strict(sent, act(Action("b", "?", name)))
        found.append(seq(passed, alt(sent, coreg(mask([name]), passed, EMPTY)), loop_s(sent)))
    return found


@each
def test_interactions_and_runs_are_accepted(
    write: Callable[[Interaction], str],
    write_run: Callable[..., str],
    refused: Refused,
    tmp_path: Path,
) -> None:
    runs = [run_of(scenario) for scenario in SCENARIOS]
    texts = [write(term) for term in samples()]
    texts += [write_run(run.kept_events, run.processes, run.verdicts) for run in runs]
    assert refused(texts, tmp_path) == []


@each
def test_what_is_wrong_is_refused(
    write: Callable[[Interaction], str],
    write_run: Callable[..., str],
    refused: Refused,
    tmp_path: Path,
) -> None:
    right = write(seq(act(Action("a", "!", "m")), loop_s(act(Action("a", "!", "m")))))
    assert len(refused([right, right.replace("loop ", "lop ")], tmp_path)) == 1


def test_random_interactions_have_all_operators() -> None:
    """Else the tests above would try less than they say."""
    written = "".join(str(term) for term in samples())
    assert all(f"{name}(" in written for name in ALL_OPERATORS)
