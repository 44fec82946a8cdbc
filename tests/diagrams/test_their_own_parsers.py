"""What is written is accepted by Mermaid's parser, and by PlantUML.

`make diagram-tools` gets both into `build/diagram-tools`, from where they are taken; Node.js and
Java run them. Where something of that is missing, the tests are skipped, and say what.
"""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from shutil import which
from typing import Any

import pytest

from choreomon.core.action import Action
from choreomon.core.errors import DocumentError
from choreomon.diagrams.mermaid import read_mermaid
from choreomon.interaction.diagram import OUTSIDE, SAME, Arrow, statements_of
from choreomon.interaction.generation import ALL_OPERATORS
from choreomon.interaction.lifelines import mask
from choreomon.interaction.term import EMPTY, Interaction, act, alt, coreg, loop_s, seq, strict
from choreomon.pictures.as_text.run_text import mermaid_run, plantuml_run
from choreomon.pictures.as_text.sequence_text import mermaid_sequence, plantuml_sequence
from tests.audit.test_logs_of_shiviz import LOGS, PINNED, options
from tests.cli.command_line import choreomon
from tests.diagrams.samples import HOSTILE
from tests.interaction.drawn import interactions
from tests.logs.writers.runs_to_export import SCENARIOS, run_of

ROOT = Path(__file__).parents[2]
TOOLS = ROOT / "build" / "diagram-tools"
PARSER = Path(__file__).with_name("mermaid_parser.mjs")
WITHIN = 300.0
"""Seconds after which a tool that has not answered is given up."""


def parsed_by_mermaid(texts: Sequence[str], place: Path) -> list[dict[str, Any]]:
    """What is `wrong` with each of the texts, empty where nothing is, and the `messages` in it:
    sender, arrow, text, receiver."""
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
    found: list[dict[str, Any]] = json.loads(answer.stdout)
    assert len(found) == len(texts)
    return found


def refused_by_mermaid(texts: Sequence[str], place: Path) -> list[str]:
    """What Mermaid says of those of the texts that it does not accept."""
    found = zip(texts, parsed_by_mermaid(texts, place), strict=True)
    return [f"{text}\n{one['wrong']}" for text, one in found if one["wrong"]]


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


@pytest.mark.parametrize(
    ("form", "refused"), [("mermaid", refused_by_mermaid), ("plantuml", refused_by_plantuml)]
)
def test_logs_are_accepted(form: str, refused: Refused, tmp_path: Path) -> None:
    one = {"facebook-multiple": ("--session", "Execution #1")}
    texts = [
        choreomon(
            *("export", LOGS / f"{log}.log", "--to", form, *options(log), *one.get(log, ()))
        ).out
        for log in PINNED
    ]
    assert len(texts) == len(PINNED) == 5
    assert all(texts)
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


def test_mermaid_finds_the_messages_and_names_that_were_written(tmp_path: Path) -> None:
    terms = samples()
    found = parsed_by_mermaid([mermaid_sequence(term) for term in terms], tmp_path)
    for term, one in zip(terms, found, strict=True):
        arrows = [each for each in statements_of(term) if isinstance(each, Arrow)]
        assert one["messages"] == [
            [
                arrow.sender or "environment",
                "-->>" if arrow.again else "->>",
                arrow.message + SAME * arrow.again,
                arrow.receiver or "environment",
            ]
            for arrow in arrows
        ]


def test_mermaid_finds_in_diagrams_of_others_what_is_read_here(tmp_path: Path) -> None:
    """Diagrams are written, and then changed at random; of those that are read, the actions are
    those that Mermaid found."""
    rng = Random(11)
    texts = [changed(mermaid_sequence(term), rng) for term in interactions(5, 400, max_size=12)]
    compared = 0
    for text, one in zip(texts, parsed_by_mermaid(texts, tmp_path), strict=True):
        try:
            term = read_mermaid(text)
        except DocumentError:
            continue
        assert not one["wrong"], text
        compared += 1
        assert actions_of(term) == Counter(
            action for message in one["messages"] for action in actions_in(*message)
        ), text
    assert compared > 100


def actions_in(sender: str, arrow: str, message: str, receiver: str) -> Iterator[Action]:
    """Those of a message that Mermaid found."""
    name = message.removesuffix(SAME)
    if sender not in OUTSIDE and name == message:
        yield Action(sender, "!", name)
    if receiver not in OUTSIDE and not arrow.endswith("x"):
        yield Action(receiver, "?", name)


def changed(text: str, rng: Random) -> str:
    """The diagram with one line of another kind, or without one."""
    lines = text.splitlines()
    at = rng.randrange(1, len(lines) + 1)
    more = rng.choice(
        [
            *("%% l1->>l2: x", "Note over l1: x", "rect rgb(1, 2, 3)", "end", "l1 -) l2 : x y"),
            *("l1-xl2: lost", "l1->>+l2: x", "l1->>+l2: x;l2-->>-l1: y", "loop 3 times", "else x"),
            *("participant l9 as A b", "actor l9", "A b->>l1: x", "l1->>l2: a # b", "autonumber"),
            *("l1->>l2: a#59;b", "l1->>l2:x", "opt maybe", "and", "option x", "title: x"),
            *("l1-->l2: the end", "env->>l1: m", "a-b->>l1: x", "l1->>a-b: x", "L1->l1: x"),
        ]
    )
    if rng.random() < 0.5 and at < len(lines):
        del lines[at]
    return "\n".join([*lines[:at], more, *lines[at:]])


def actions_of(term: Interaction) -> Counter[Action]:
    """How often each action stands in a term."""
    found: Counter[Action] = Counter()
    pending = [term]
    while pending:
        top = pending.pop()
        if top.action is not None:
            found[top.action] += 1
        pending += [part for part in (top.left, top.right) if part is not None]
    return found


def test_random_interactions_have_all_operators() -> None:
    """Else the tests above would try less than they say."""
    written = "".join(str(term) for term in samples())
    assert all(f"{name}(" in written for name in ALL_OPERATORS)
