"""No monitor, and nothing that a monitor says, reveals the messages of another process
(docs/monitors.md, "Secrecy"). Every message of a random property has a name of its own, so that it
can be looked for in anything that is written down."""

from __future__ import annotations

from collections.abc import Iterator

from choreomon.core.message import SEND, Label, Message
from choreomon.formats.wire import encode
from choreomon.monitor.effects import Send
from choreomon.properties.automaton import StatedTransition, sequence_automaton
from tests.laws.drawn import NOISE
from tests.laws.interleaving import Run, System, following, play
from tests.laws.test_guarantees import runs


def foreign_names(run: Run, process: str) -> set[str]:
    """The names of messages that no label of this process speaks of."""
    labels = run.system.automaton.labels
    own = {label.message.name for label in labels if label.process == process}
    return {label.message.name for label in labels} - own | {NOISE}


def leaks(run: Run) -> Iterator[str]:
    names = {label.message.name for label in run.system.automaton.labels} | {NOISE}
    for place, process in enumerate(run.system.processes):
        foreign = foreign_names(run, process)
        written = [repr(run.system.monitors[place].table)]
        written += [repr(world.states[place]) for world in run.worlds]
        for _, stepped, effects in run.steps:
            if stepped == place:
                written += map(repr, effects)
        for text in written:
            yield from (f"{process}: {name}" for name in foreign if f"'{name}'" in text)
    for _, _, effects in run.steps:
        for effect in effects:
            if isinstance(effect, Send):
                data = encode(effect.message)
                yield from (f"wire: {name}" for name in names if name.encode() in data)


def test_no_table_state_effect_or_message_names_a_message_of_another_process() -> None:
    sent = 0
    for run in runs(120):
        assert not list(leaks(run))
        sent += sum(isinstance(effect, Send) for _, _, group in run.steps for effect in group)
    assert sent > 500


def test_the_law_notices_states_that_are_named_after_messages() -> None:
    """Planted: a state called after the message that leads into it, so that references
    tell the message."""
    a, b = Message("P1", "secret-a", "P2"), Message("P2", "secret-b", "P1")
    automaton = sequence_automaton(
        initial=["q0"],
        final=["q2"],
        transitions=[
            StatedTransition("q0", Label(SEND, a), "secret-a"),
            StatedTransition("secret-a", Label(SEND, b), "q2"),
        ],
    )
    run = play(System(automaton, ("P1", "P2")), ((a,), (b,)), following(b""))
    assert {leak.split(":")[0] for leak in leaks(run)} == {"P2", "wire"}
