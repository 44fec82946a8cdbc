"""Verdicts of live agents, in words. Events are named by their process and their count there, and
only those of the agent's own process also by their messages: no monitor knows the others."""

from __future__ import annotations

from rich.text import Text

from choreomon.core.binding import in_words
from choreomon.core.live import EventName, LiveReason, LiveVerdict
from choreomon.core.message import BEGINNING
from choreomon.core.run import BEFORE_ALL, RunReason, RunVerdict
from choreomon.core.slot_ranges import with_ranges
from choreomon.sentences.explanation import ExplanationText, explained, rule_name
from choreomon.sentences.transition_names import TransitionNames, beginning
from choreomon.sentences.wording import DECLARATION, VERDICT_IN_WORDS, milliseconds
from choreomon.terminal.text import STYLES


def printable(text: str) -> str:
    """The text without control characters: it comes from outside and must not act on a terminal."""
    return "".join(sign if sign.isprintable() else "�" for sign in text)


def live_word_line(verdict: LiveVerdict) -> Text:
    """The line of a verdict: when it was told, and who says what about which event."""
    line = Text(f"{printable(verdict.time)}  {printable(verdict.process)} ")
    line.append(VERDICT_IN_WORDS[verdict.verdict], STYLES[verdict.verdict])
    line.append(f" at {_judged(verdict)}{_of_rule(verdict)}")
    if verdict.provisional:
        line.append(", for now")
    if verdict.silent:
        line.append(f": no answer from {printable(', '.join(with_ranges(_silent(verdict))))}")
    return line


def timed_word_line(verdict: LiveVerdict, at: int) -> Text:
    """The line of a verdict in a run under way, `at` microseconds after its start. Explanations
    number events across all processes; these numbers are not known yet."""
    line = Text(f"{milliseconds(at):>12}  {verdict.process} ")
    line.append(VERDICT_IN_WORDS[verdict.verdict], STYLES[verdict.verdict])
    line.append(f" at {verdict.label}{_of_rule(verdict)}")
    if verdict.silent:
        line.append(f", for now: no answer from {', '.join(with_ranges(_silent(verdict)))}")
    elif verdict.provisional:
        line.append(", for now: an earlier event of the same process is not decided")
    return line


def live_explanation(verdict: LiveVerdict) -> ExplanationText:
    """The verdict and its reasons, one thought per sentence."""
    if verdict.unseen:
        return _unseen(verdict)
    names = _Names(verdict)
    given = names.verdict()
    called = TransitionNames(verdict.sequences, rule=rule_name(given))
    found = explained(given, names, called)
    *why, conclusion = map(printable, found.sentences)
    if verdict.waiting_for:
        behind = printable(", ".join(with_ranges(_waiting_for(verdict))))
        why.append(f"Who was asked waits for an answer from {behind}.")
    if verdict.provisional:
        conclusion += " Another verdict about it follows."
    return ExplanationText(printable(found.headline), (*why, conclusion, *_traced(verdict)))


def _traced(verdict: LiveVerdict) -> list[str]:
    """Sentences about traces: that of the event, and those of the events in reasons."""
    own = verdict.trace_id
    named: dict[str, dict[str, None]] = {}
    for event in [reason.event for reason in verdict.because if reason.event.trace_id]:
        where = "the same trace" if event.trace_id == own else f"the trace {event.trace_id}"
        named.setdefault(where, {})[str(event)] = None
    sentences = [f"It happened in the trace {own}."] if own else []
    sentences += [f"In {where} happened {', '.join(events)}." for where, events in named.items()]
    return [*map(printable, sentences)]


def _unseen(verdict: LiveVerdict) -> ExplanationText:
    rule = verdict.stated()
    called = TransitionNames(verdict.sequences, rule="" if rule is None else rule.name)
    ended = printable(beginning(called.listed(verdict.transitions)))
    several = len(verdict.transitions) > 1
    would = "each would complete its" if several else "it would complete the"
    return ExplanationText(
        f"{printable(verdict.process)} {DECLARATION[verdict.verdict]} at {_judged(verdict)}"
        f"{_of_rule(verdict)}.",
        (
            "Its monitor was not told what happened in the gap.",
            f"{ended} may have {called.happened} in it; {would} sequence.",
            f"So {called.sequences(verdict.transitions)} may have been {called.formed}, and nobody "
            "will know.",
        ),
    )


def _of_rule(verdict: LiveVerdict) -> str:
    """The name of the rule that a verdict is about, after a colon; empty if it is about none."""
    rule = verdict.stated()
    return "" if rule is None else f": {printable(rule.name)}"


def _judged(verdict: LiveVerdict) -> str:
    if verdict.label is None:
        return f"the end of a gap, event {verdict.count}"
    kind = "" if verdict.label.startswith("handle ") else "send "
    of_one = in_words(tuple(sorted(verdict.instance.items())))
    instance = f" for {printable(of_one)}" if of_one else ""
    return f"event {verdict.count} ({kind}{printable(verdict.label)}){instance}"


def _silent(verdict: LiveVerdict) -> tuple[str, ...]:
    return (*verdict.silent, *_others(verdict, "silent"))


def _waiting_for(verdict: LiveVerdict) -> tuple[str, ...]:
    return (*verdict.waiting_for, *_others(verdict, "waiting_for"))


def _others(verdict: LiveVerdict, field: str) -> tuple[str, ...]:
    """Words for the number of omitted names."""
    count = verdict.left_out.get(field, 0)
    return (f"{count:,} more",) if count else ()


class _Names:
    """The verdict as one of a run, whose events are numbered as they come, and their names."""

    def __init__(self, verdict: LiveVerdict) -> None:
        self._verdict = verdict
        self._numbers: dict[EventName, int] = {}
        self._since: dict[int, EventName] = {}
        self._judged = self._number(EventName(verdict.process, verdict.count))

    def _number(self, event: EventName) -> int:
        if event.process == BEGINNING:
            return BEFORE_ALL
        return self._numbers.setdefault(event, len(self._numbers))

    def _name(self, index: int) -> EventName:
        return [*self._numbers][index]

    def verdict(self) -> RunVerdict:
        given = self._verdict
        return RunVerdict(
            verdict=given.verdict,
            monitor=given.process,
            event_index=self._judged,
            transitions=given.transitions,
            label=given.label or "",
            because=tuple(map(self._reason, given.because)),
            declared_at=0,
            silent=_silent(given),
            early=given.provisional,
            reasons_left_out=given.left_out.get("because", 0),
            transitions_left_out=given.left_out.get("transitions", 0),
            rule=given.stated(),
        )

    def _reason(self, reason: LiveReason) -> RunReason:
        at = self._number(reason.event)
        if reason.event.gap and reason.since is not None:
            self._since[at] = reason.since
        return RunReason(
            event_index=at,
            transition=reason.transition,
            role=reason.role,
            result=reason.result,
            relation=reason.relation,
            certain=reason.certain,
            of=None if reason.of is None else self._number(reason.of),
            of_transition=reason.of_transition,
            since=None if reason.since is None else self._number(reason.since),
        )

    def judged(self, verdict: RunVerdict) -> str:
        return _judged(self._verdict)

    def times(self, verdict: RunVerdict) -> str:
        """Empty: the clocks of agents say nothing about each other."""
        return ""

    def short(self, index: int) -> str:
        event = self._name(index)
        if event.gap:
            return f"the gap of {event.process}"
        return f"event {event.count} of {event.process}"

    def full(self, index: int) -> str:
        event = self._name(index)
        if not event.gap:
            return f"event {event.count} of {event.process}"
        since = self._since.get(index)
        begin = f" after event {since.count}" if since is not None and since.count else ""
        if event.count is None:
            return f"a gap of {event.process}{begin} that has not ended"
        return f"a gap of {event.process}{begin} that ends at event {event.count}"

    def span(self, first: int, last: int) -> str:
        one, other = self._name(first), self._name(last)
        return f"events {one.count} to {other.count} of {other.process}"

    def order(self, first: int, second: int) -> str:
        """Empty: an agent knows that clocks order the two events, but not by which messages."""
        return ""
