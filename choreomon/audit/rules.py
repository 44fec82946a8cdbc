"""Results of each rule over logs: violated, possibly, not exercised, or nothing; and its
progress."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from choreomon.audit.occurrences import Occurrences
from choreomon.audit.outcome import AuditVerdict, Outcome, Overall
from choreomon.audit.summary import SessionsOutcome
from choreomon.core.message import BEGIN, Label
from choreomon.core.roles import Roles
from choreomon.core.stated_rule import StatedRule
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED, VerdictKind
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.progress import Rule, rules_of

Word: TypeAlias = Literal["violated", "possibly-violated", "not-exercised", "nothing"]

NOT_EXERCISED: Final = "not-exercised"
NOTHING: Final = "nothing"


class RuleResult(NamedTuple):
    """The result of a rule. `far` counts sessions by how many of its steps were reached in them, so
    it has one place more than the rule has steps; for one run one place is 1. `stated`: the
    author's statement of it, if the property is written as rules."""

    number: int
    sequence: tuple[Label, ...]
    word: Word
    far: tuple[int, ...]
    called: str = "session"
    stated: StatedRule | None = None

    @property
    def name(self) -> str:
        """The name of the rule, or its number."""
        return str(self.number) if self.stated is None else self.stated.name

    @property
    def steps(self) -> int:
        """The events of its sequence."""
        return sum(label != BEGIN for label in self.sequence)

    @property
    def farthest(self) -> int:
        """The most steps that it came in some session."""
        return max((steps for steps, sessions in enumerate(self.far) if sessions), default=0)

    @property
    def sessions(self) -> int:
        return sum(self.far)


def rules_of_run(automaton: SequenceAutomaton, outcome: Outcome) -> tuple[RuleResult, ...]:
    """The results of all rules in the audit of one run."""
    verdicts: list[AuditVerdict | Overall] = [*outcome.verdicts, outcome.overall]
    return _results(
        automaton, verdicts, outcome.occurrences, dict.fromkeys(enumerate(outcome.far), 1)
    )


def rules_of_sessions(
    automaton: SequenceAutomaton, outcome: SessionsOutcome
) -> tuple[RuleResult, ...]:
    """The results of all rules in the audits of many sessions; a verdict of a kind that was too
    much to be kept is not among them."""
    verdicts = (example.verdict for example in outcome.kinds)
    found = _results(automaton, verdicts, outcome.occurrences, outcome.far)
    return tuple(rule._replace(called=outcome.called) for rule in found)


def _results(
    automaton: SequenceAutomaton,
    verdicts: Iterable[AuditVerdict | Overall],
    occurrences: Occurrences,
    far: Mapping[tuple[int, int], int],
) -> tuple[RuleResult, ...]:
    """A verdict that is about a rule belongs to that, any other one to the rule whose sequence it
    shows. Where it shows none, it belongs to each rule that its event may form."""
    rules, roles = rules_of(automaton), occurrences.roles
    words: dict[int, VerdictKind] = {}
    for verdict in verdicts:
        for rule in _rules_of_verdict(rules, verdict, roles):
            if verdict.kind is not None and words.get(rule.number) != VIOLATED:
                words[rule.number] = verdict.kind
    occurring = {each.label for each in occurrences.of_labels() if each.events}
    return tuple(
        RuleResult(
            rule.number,
            rule.sequence,
            _word(rule, words.get(rule.number), occurring),
            tuple(far.get((place, steps), 0) for steps in range(rule.steps + 1)),
            stated=rule.stated,
        )
        for place, rule in enumerate(rules)
    )


def _word(rule: Rule, verdict: VerdictKind | None, occurring: Collection[Label]) -> Word:
    if verdict is not None:
        return VIOLATED if verdict == VIOLATED else POSSIBLY_VIOLATED
    return NOTHING if rule.can_be_formed_by(occurring) else NOT_EXERCISED


def _rules_of_verdict(
    rules: Sequence[Rule], verdict: AuditVerdict | Overall, roles: Roles
) -> Iterator[Rule]:
    order = verdict.formed
    events = [] if order is None else [order.events[position] for position in order.formed]
    shown = [roles.of_roles(event.label) for event in events if event.label is not None]
    last = verdict.item.label if isinstance(verdict, AuditVerdict) else None
    last = None if last is None else roles.of_roles(last)
    if verdict.rule is not None:
        yield from (rule for rule in rules if rule.stated == verdict.rule)
        return
    for rule in rules:
        forward = rule.automaton.forward
        ends = {t.label for t in forward if t.target in rule.automaton.final}
        if shown:
            if {t.label for t in forward}.issuperset(shown) and shown[-1] in ends:
                yield rule
        elif last is None or last in ends:
            yield rule
