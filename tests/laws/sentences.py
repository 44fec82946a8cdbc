"""Explanations read as somebody would who has the trace of the run and the property: every sentence
is taken by its words (`tests.laws.sentence_patterns`), and what it claims is recomputed.

Nothing of what made the sentences is used; not the reasons, but where those are meant that are not
listed. What is *certain* must be so in every order that
agrees with the clocks. What *may* be so is never untrue; of how much of that no order leaves open
there are counts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, NamedTuple

from choreomon.core.run import BEFORE_ALL, MonitorsMessage, RunEvent, RunVerdict
from choreomon.properties.automaton import SequenceAutomaton
from tests.laws.message_chains import unlike_the_trace
from tests.laws.orders import Fired, Moment, Orders
from tests.laws.property_words import Pair, PropertyWords, arrow
from tests.laws.sentence_patterns import HEADLINE, SENTENCES


class Explained(NamedTuple):
    """A verdict with the sentences about it, and what there is to hold them against. `last`: it is
    the last one about its event. `settled`: by `precise` rules its monitor showed that the orders
    disagree, if it is possible. `early`: what else was said of its event before."""

    verdict: RunVerdict
    headline: str
    sentences: tuple[str, ...]
    answered: bool = True
    settled: bool = False
    said_before: bool = False


class Trace(NamedTuple):
    """A run: its `orders`, its events with their indices as places, and the messages between its
    monitors, where these are known. `gaps`: what is called an event and is a gap."""

    automaton: SequenceAutomaton
    orders: Orders
    events: Sequence[RunEvent]
    messages: Sequence[MonitorsMessage] | None = None
    gaps: Collection[int] = ()


class Untrue(NamedTuple):
    event: int
    sentence: str
    why: str


class _Spoken(NamedTuple):
    """Of what the sentences after that speak: a transition that came before, and its events."""

    events: tuple[int, ...]
    transition: Pair
    certain: bool


class Reader:
    """Reads one explanation. `seen` counts kinds of sentences, and of what may be so how much no
    order leaves open."""

    def __init__(self, trace: Trace, explained: Explained, seen: Counter[str]) -> None:
        self._trace, self._orders, self._explained = trace, trace.orders, explained
        self._verdict, self._seen = explained.verdict, seen
        self._words = PropertyWords(trace.automaton)
        self._at = explained.verdict.event_index
        self._spoken: _Spoken | None = None
        self._listed: set[Fired] = set()
        self._unnamed = 0
        self._first: Fired | None = None

    def untrue(self) -> list[Untrue]:
        """What the trace belies, and what could not be read."""
        found = [Untrue(self._at, self._explained.headline, why) for why in self._headline()]
        for sentence in self._explained.sentences:
            self._seen["sentences"] += 1
            read = [(kind, each.fullmatch(sentence)) for kind, each in SENTENCES.items()]
            understood = [(kind, match) for kind, match in read if match]
            if len(understood) != 1:
                found.append(Untrue(self._at, sentence, "not understood"))
            for kind, match in understood:
                self._seen[kind] += 1
                found += [Untrue(self._at, sentence, why) for why in _CHECKS[kind](self, match)]
        return found

    @cached_property
    def _moments(self) -> list[Moment]:
        return self._orders.moments[self._at]

    def _events(self, text: str) -> tuple[int, ...]:
        return tuple(int(number) for number in re.findall(r"event (\d+)", text))

    def _misnamed(self, text: str) -> Iterator[str]:
        """Events that are called by what they were not."""
        for number, words in re.findall(r"event (\d+) \(((?:send|handle) [^()]*)\)", text):
            if words != in_words(self._trace.events[int(number)]):
                yield f"event {number} was something else"

    def _final(self, transitions: Collection[Pair]) -> Iterator[str]:
        for source, target in {*transitions} - {*self._words.finals}:
            yield f"{source} -> {target} completes nothing"

    def _formed(self) -> tuple[bool, bool]:
        """Whether some order forms something at the event, and whether all do."""
        final = self._words.finals
        return self._orders.ever_fires(self._at, final), self._orders.always_fires(self._at, final)

    # One method for each kind of sentence: what is wrong with it.

    def _headline(self) -> Iterator[str]:
        match = HEADLINE.fullmatch(self._explained.headline)
        if match is None:
            yield "not understood"
            return
        event = self._trace.events[int(match[3])]
        if event.process != match[1] or in_words(event) != match[4] or event.index != self._at:
            yield "another event"
        ever, always = self._formed()
        if match[2] == "declares violated" and not always:
            yield "some order does not form it"
        if match[2] == "withdraws its verdict" and ever:
            yield "some order forms it"
        if match[2] == "declares possibly violated":
            yield from self._left_open(match)

    def _surely(self, match: re.Match[str]) -> Iterator[str]:
        named = self._words.named(match["names"])
        yield from self._final(named)
        groups = [[each] for each in named] if " or " not in match["names"] else [named]
        for group in groups:
            if not self._orders.always_fires(self._at, group):
                yield "some order does not fire it"

    def _maybe(self, match: re.Match[str]) -> Iterator[str]:
        named = self._words.named(match["names"])
        yield from self._final(named)
        for each in named:
            self._seen["weak: may have ended, in no order"] += not self._orders.ever_fires(
                self._at, [each]
            )

    def _begins(self, match: re.Match[str]) -> Iterator[str]:
        named = self._words.named(match["names"] or "") or [*self._verdict.transitions]
        for source, _ in named:
            if source not in self._trace.automaton.initial:
                yield f"{source} is not initial"

    def _sequence(self, match: re.Match[str]) -> Iterator[str]:
        """The labels are those of a way from a start to one of the transitions of the verdict."""
        if not any(match["labels"] in self._words.ways(t) for t in self._verdict.transitions):
            yield "no sequence that ends here"

    def _numbered(self, match: re.Match[str]) -> Iterator[str]:
        if not all(map(self._words.ways, self._verdict.transitions)):
            yield "no sequence that ends here"

    def _pre(self, match: re.Match[str]) -> Iterator[str]:
        text, orders = match["events"], self._orders
        yield from self._misnamed(text)
        transition = yield from self._before(match)
        certain = match["did"] in ("happened", "fired")
        events = self._events(re.sub(r", remembered as.*", "", text))
        more = re.search(r"and ([\d,]+) more event", text)
        self._listed |= {(event, transition) for event in events}
        self._unnamed += int(more[1].replace(",", "")) if more else 0
        self._spoken = _Spoken(events, transition, certain)
        merged = re.search(r"of events (\d+) to (\d+)", text)
        if merged:
            self._seen["merged"] += 1
            yield from self._merged(transition, int(merged[1]), int(merged[2]))
        for each in events:
            if each in self._trace.gaps:
                if certain:
                    yield "nobody knows what happened in a gap"
                continue
            self._first = self._first or (each, transition)
            if certain and not orders.always_fires(each, [transition]):
                yield f"in some order it did not fire at event {each}"
            if not certain and not merged:
                self._seen["weak: may have fired, in no order"] += not orders.ever_fires(
                    each, [transition]
                )
            yield from self._ordered(each, match["order"], merged)

    def _before(self, match: re.Match[str]) -> Generator[str, None, Pair]:
        """The transition that came before those that are named; what is wrong with that."""
        named = self._words.named(match["of"] or match["of_transitions"])
        judged = named or [*self._verdict.transitions]
        if match["fired"] or match["states"]:
            transition = arrow(match["fired"] or match["states"])
        else:
            transition = self._words.step_into(judged[0][0])
        if any(source != transition[1] for source, _ in judged):
            yield "not what came before that"
        return transition

    def _begun(self, match: re.Match[str]) -> Iterator[str]:
        transition = yield from self._before(match)
        self._listed.add((BEFORE_ALL, transition))
        self._first = self._first or (BEFORE_ALL, transition)
        self._spoken = _Spoken((BEFORE_ALL,), transition, certain=True)
        if (BEFORE_ALL, transition) not in self._orders.begun:
            yield "begin does not do that"

    def _merged(self, transition: Pair, first: int, last: int) -> Iterator[str]:
        """There are others, of the same process, that may have fired the same."""
        labels = self._words.labels_of(transition)
        stretch = self._trace.events[first : last + 1]
        process = self._trace.events[last].process
        alike = [each for each in stretch if each.process == process and each.label in labels]
        if len(alike) < 2 or stretch[0] != alike[0] or stretch[-1] != alike[-1]:
            yield "not merged of several"

    def _ordered(self, event: int, order: str, merged: re.Match[str] | None) -> Iterator[str]:
        numbers = self._events(order)
        if numbers and numbers != (self._at,):
            yield "the order to another event"
        if order.startswith("before") and not self._orders.before(event, self._at):
            yield f"event {event} is not known to be before it"
        if order.startswith("which may"):
            if merged:
                wrong = self._orders.before(self._at, int(merged[1])) or (
                    self._orders.before(event, self._at)
                )
            else:
                wrong = not self._orders.concurrent(event, self._at)
            if wrong:
                yield f"the order of event {event} is known"
        if order.startswith("which is") and event != self._at:
            yield "another event"

    def _known_from(self, match: re.Match[str]) -> Iterator[str]:
        assert self._spoken is not None
        (first,) = self._spoken.events
        if self._trace.messages is not None:
            self._seen["known from, by messages"] += 1
            yield from unlike_the_trace(
                match["chain"], self._trace.events, self._trace.messages, first, self._at
            )

    def _open(self, match: re.Match[str]) -> Iterator[str]:
        assert self._spoken is not None
        if self._spoken.certain:
            yield "it was called certain"
        for event in self._spoken.events:
            sure = self._orders.always_fires(event, [self._spoken.transition])
            self._seen["weak: not certain that it counts, in all orders"] += sure

    def _untold(self, match: re.Match[str]) -> Iterator[str]:
        assert self._spoken is not None
        if not all(each in self._trace.gaps for each in self._spoken.events):
            yield "that was no gap"

    def _uncancelled(self, match: re.Match[str]) -> Iterator[str]:
        """It is live at the judged event, wherever it came before that."""
        assert self._spoken is not None
        for event in self._spoken.events:
            for moment in self._moments:
                live = (event, self._spoken.transition) in moment.live
                if self._orders.happened(event, moment) and not live:
                    yield f"in some order that of event {event} was cancelled"
                    break

    def _cancelled(self, match: re.Match[str]) -> Iterator[str]:
        """It is gone after each of the events, and was taken back there or before."""
        record, vios = yield from self._taken_back(match)
        if record[0] in self._trace.gaps:
            return
        for vio in vios:
            if not self._orders.before(record[0], vio) or not self._orders.before(vio, self._at):
                yield f"event {vio} is not known to be between the two"
            if any(record in moment.left for moment in self._orders.moments[vio]):
                yield f"in some order it outlives event {vio}"

    def _taken_back(
        self, match: re.Match[str]
    ) -> Generator[str, None, tuple[Fired, tuple[int, ...]]]:
        """Of what came before and by which events; what is wrong with how these are called."""
        yield from self._misnamed(match["events"])
        assert self._spoken is not None
        (event,), transition = self._spoken.events, self._spoken.transition
        vios = self._events(re.sub(r", remembered as.*", "", match["events"]))
        for vio in vios:
            if vio in self._trace.gaps:
                if "was not told what happened there" not in match[0]:
                    yield "nobody knows what happened in a gap"
                continue
            label = self._trace.events[vio].label
            by = self._orders.cancelled_by[transition]
            takers = {each for each in by if label in self._words.labels_of(each)}
            named = {*map(arrow, match["by"].split(" and "))} if match["by"] else takers
            if not named or not takers >= named:
                yield f"event {vio} takes nothing of that back"
        return (event, transition), vios

    def _may_be_cancelled(self, match: re.Match[str]) -> Iterator[str]:
        record, vios = yield from self._taken_back(match)
        event, doubts = record[0], match["doubts"]
        merged = re.search(r"of events (\d+) to", match["events"])
        for vio in vios:
            if vio in self._trace.gaps or event in self._trace.gaps:
                continue
            first = int(merged[1]) if merged else vio
            if self._orders.before(self._at, first) or self._orders.before(vio, event):
                yield f"event {vio} cannot have come between the two"
            for other in map(int, re.findall(r"come before or after event (\d+)", doubts)):
                if not merged and not self._orders.concurrent(vio, other):
                    yield f"the order of event {vio} is known"
            if "is the same event" in doubts and vio != event:
                yield "another event"
            if "is the event of the verdict itself" in doubts and vio != self._at:
                yield "another event"
            if not merged:
                self._doubted(record, vio, "it is not certain that" in doubts)

    def _doubted(self, record: Fired, vio: int, uncertain: bool) -> None:
        moments = self._orders.moments[vio]
        lost = [record in moment.live and record not in moment.left for moment in moments]
        self._seen["weak: may have been cancelled there, in no order"] += not any(lost)
        sure = all(lost) and self._orders.before(vio, self._at)
        self._seen["weak: may have been cancelled there, in all orders"] += sure and uncertain

    def _pres(self) -> set[Fired]:
        """All that may have come before, those too that are not listed."""
        because = self._verdict.because
        return {(each.event_index, each.transition) for each in because if each.role == "pre"}

    def _left_out(self, match: re.Match[str]) -> Iterator[str]:
        least = int(match["count"].replace(",", "")) + len(self._listed)
        if not least <= len(self._pres()) <= least + self._unnamed:
            yield "that are more or fewer"

    def _one_led_here(self, match: re.Match[str]) -> Iterator[str]:
        if any(not moment.live & self._pres() for moment in self._moments):
            yield "in some order none did"

    def _none_led_here(self, match: re.Match[str]) -> Iterator[str]:
        if any(moment.live & self._pres() for moment in self._moments):
            yield "in some order one did"

    def _limit(self, match: re.Match[str]) -> Iterator[str]:
        assert self._first is not None
        if any(self._first not in moment.live for moment in self._moments):
            yield "it is not certain"
        if self._explained.settled:
            yield "there was no limit"

    def _in_every_order(self, match: re.Match[str]) -> Iterator[str]:
        numbers = re.findall(r"sequence (\d+)", match["which"] or "")
        final = [*map(self._words.last_of, numbers)] or self._words.finals
        if not self._orders.always_fires(self._at, final):
            yield "some order does not form it"

    def _not_formed(self, match: re.Match[str]) -> Iterator[str]:
        if self._formed()[0]:
            yield "some order forms it"

    def _left_open(self, match: re.Match[str]) -> Iterator[str]:
        ever, always = self._formed()
        if self._explained.settled and (always or not ever):
            yield "the orders agree"

    def _said_before(self, match: re.Match[str]) -> Iterator[str]:
        if not self._explained.said_before:
            yield "nobody said so"

    def _silent(self, match: re.Match[str]) -> Iterator[str]:
        names = match["silent"].split(", ")
        others = {*self._orders.processes} - {self._verdict.monitor}
        if self._explained.answered or not others.issuperset(names):
            yield "everybody answered"

    def _undecided(self, match: re.Match[str]) -> Iterator[str]:
        if self._explained.answered:
            yield "everything was decided"

    def _times(self, match: re.Match[str]) -> Iterator[str]:
        happened, declared, later = (
            round(1000 * float(match[name].replace(",", "")))
            for name in ("happened", "declared", "later")
        )
        if happened != self._trace.events[self._at].time:
            yield "it happened at another time"
        if declared != self._verdict.declared_at or later != declared - happened:
            yield "it was declared at another time"


def in_words(event: RunEvent) -> str:
    return f"{event.kind} {event.message}"


_CHECKS: Final[Mapping[str, Callable[[Reader, re.Match[str]], Iterator[str]]]] = {
    "ended for certain": Reader._surely,
    "may have ended": Reader._maybe,
    "begins": Reader._begins,
    "sequence": Reader._sequence,
    "sequence by number": Reader._numbered,
    "came before": Reader._pre,
    "came before all": Reader._begun,
    "known from": Reader._known_from,
    "may not count": Reader._open,
    "gap": Reader._untold,
    "nothing cancelled": Reader._uncancelled,
    "nothing known to have cancelled": lambda *_: iter(()),
    "cancelled for certain": Reader._cancelled,
    "may be cancelled": Reader._may_be_cancelled,
    "not listed": Reader._left_out,
    "one led here": Reader._one_led_here,
    "none led here": Reader._none_led_here,
    "limit": Reader._limit,
    "formed in every order": Reader._in_every_order,
    "not formed": Reader._not_formed,
    "left open": Reader._left_open,
    "said before": Reader._said_before,
    "silent": Reader._silent,
    "times": Reader._times,
    "undecided": Reader._undecided,
}
