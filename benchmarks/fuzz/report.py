"""What came out, as sections of a page in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.command_line import load_at_the, machine
from benchmarks.fuzz.siege import MOST_FRAME, MOST_GROWTH, Attacked

TITLE = "# Bad peers\n\nSee `benchmarks/fuzz`. Each section is what its command printed.\n"
SIEGE = "Every socket of a real agent"


def measured_on() -> str:
    return f"{machine()}; {load_at_the('end')}."


def put(page: Path, section: str) -> None:
    """The section, which begins with its heading, in its page, in the place of an older one."""
    heading = section.partition("\n")[0]
    text = page.read_text(encoding="utf-8") if page.exists() else TITLE
    head, *sections = text.split("\n## ")
    kept = [each for each in sections if f"## {each.partition(chr(10))[0]}" != heading]
    parts = [head.rstrip("\n"), *(f"## {each.strip(chr(10))}" for each in kept), section.strip()]
    page.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def siege_section(command: str, seed: int, found: Sequence[Attacked]) -> Iterator[str]:
    yield f"## {SIEGE}\n"
    yield f"`{command}`\n"
    yield f"Seed {seed}; {machine()}\n"
    yield (
        "*Sent*: frames of the rogue, random ones, mutants and some that are right; *refused*: "
        "those that the agent counted as refused, by reason below. *Memory*: resident before, at "
        "most and after. *Longest*: of what came at once, the most processor time, in ms. *Good "
        "events*: those of the services that went on meanwhile, each of which was answered, the "
        "longest after so many ms of wall time. *Words*: of the events at which the property was "
        "formed, `violated` and `possibly-violated`.\n"
    )
    yield (
        "| socket | sent | MB | refused | memory MB | longest ms | good events | longest ms "
        "| words |"
    )
    yield "|---|---:|---:|---:|---|---:|---:|---:|---|"
    for each in found:
        memory = ", ".join(f"{size / 1e6:.1f}" for size in (each.before, each.most, each.after))
        words = each.words
        yield (
            f"| {each.way.told} | {each.told.sent:,} | {each.told.sizes / 1e6:.0f} "
            f"| {sum(each.refused.values()):,} | {memory} | {1000 * each.longest_taking:.1f} "
            f"| {each.events:,} | {1000 * each.longest:.0f} "
            f"| {words.get('violated', 0):,}, {words.get('possibly-violated', 0):,} |"
        )
    yield ""
    yield "What the agents counted, and what the rogue was answered:\n"
    for each in found:
        yield f"- {each.way.told}: {_counts(each.refused)}. Answered: {_counts(each.told.seen)}."
    yield ""
    wrong = [f"{each.way.told}: {what}" for each in found for what in each.wrong + each.slow]
    if wrong:
        yield f"{len(wrong)} findings:\n"
        yield from (f"- {what[:600]}" for what in wrong)
        return
    asked = sum(each.told.asked for each in found)
    yield (
        "Nothing was wrong: the agents are the same processes, logged no error, grew by less than "
        f"{MOST_GROWTH >> 20} MiB at any time, and took at most {1000 * MOST_FRAME:.0f} ms for "
        "what came at once; every good event was answered, and every one at which the property was "
        f"formed got its word; all {asked:,} times the rogues asked in order between their mutants "
        "they were answered or refused; and of frames that must be refused whatever the state is "
        "(`malformed`, `system`, `sender`, `oversized`, `parts`, `empty`) exactly as many are "
        "counted as were sent to the sockets of agents. Strangers whose handshake fails are "
        "dropped by libzmq, and not counted. `possibly-violated` comes from mutants that are "
        "well-formed and lie about clocks: after one an agent must suppose that it has forgotten "
        "something."
    )


def _counts(counts: dict[str, int]) -> str:
    ordered = sorted(counts.items(), key=lambda each: -each[1])
    return ", ".join(f"{what} {count:,}" for what, count in ordered) or "nothing"
