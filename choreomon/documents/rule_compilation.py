"""The rules of a document -> one validated automaton, in which each has states of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from choreomon.core.errors import Defect, Path, PropertyError
from choreomon.core.label_patterns import LabelPattern
from choreomon.core.labels import CarryingLabel
from choreomon.core.message import BEGIN, Message
from choreomon.core.stated_rule import RuleStates, StatedRule
from choreomon.documents.compilation import (
    LoadedProperty,
    automaton_of,
    for_each_instance,
    forgetting,
    labels_of_automaton,
)
from choreomon.documents.rule_expansion import Expansion, values_of
from choreomon.documents.rule_shape import InOrder, RuleDocument
from choreomon.properties.automaton import SequenceAutomaton, StatedTransition, sequence_automaton
from choreomon.properties.automaton_defects import MAX_STATES_OF_RULES
from choreomon.properties.instances import Parameters, forgotten_by_some, together
from choreomon.properties.parts import joined
from choreomon.properties.pattern_sentences import PatternWords, pattern_sentence, steps_sentence
from choreomon.properties.patterns import (
    Arc,
    Labels,
    Pattern,
    PatternAutomaton,
    pattern_automaton,
    pattern_defect,
)

Located = tuple[Path, CarryingLabel]


@dataclass
class ExpandedRule:
    """A rule with values for its variables, and the labels that its patterns stand for, each with
    its path from the top of the document, and its pattern in one sentence."""

    document: RuleDocument
    stated: StatedRule
    path: Path
    labels: tuple[Located, ...]
    body: PatternAutomaton | None
    fresh: tuple[Located, ...] = ()
    sentence: str = ""


def expanded_rules(
    rules: Sequence[RuleDocument],
    expansion: Expansion,
    line_of: Callable[[Path], int],
    defects: list[Defect],
) -> list[ExpandedRule]:
    """The rules that a document stands for, in its order. What is wrong is added to `defects`."""
    found: list[ExpandedRule] = []
    first: dict[str, int] = {}
    for number, rule in enumerate(rules):
        path: Path = ("rules", number)
        if first.setdefault(rule.id, number) != number:
            line = line_of(("rules", first[rule.id]))
            told = f"{rule.id!r} is that of the rule at line {line}, too"
            defects.append(Defect((*path, "id"), f"{told}: give each rule an id of its own"))
        for values in values_of(rule, path, defects):
            stated = StatedRule(
                id=rule.id,
                description=rule.description or "",
                severity=rule.severity,
                runbook_url=rule.runbook_url or "",
                tags=rule.tags,
                where=values,
                line=line_of(path),
            )
            found.append(_Expanding(rule, stated, path, expansion, defects).whole())
    return found


class _Expanding:
    """The expansion of one rule."""

    def __init__(
        self,
        rule: RuleDocument,
        stated: StatedRule,
        path: Path,
        expansion: Expansion,
        defects: list[Defect],
    ) -> None:
        self._rule, self._stated, self._path = rule, stated, path
        self._expansion, self._defects = expansion, defects
        self._values = dict(stated.where)
        self._labels: list[Located] = []
        self._sentence = ""

    def whole(self) -> ExpandedRule:
        rule = self._rule
        body: PatternAutomaton | None = None
        if rule.never is not None:
            body = self._pattern()
        elif rule.steps is not None:
            body = self._steps()
        elif rule.automaton is not None:
            inside = labels_of_automaton(rule.automaton, (*self._path, "automaton"))
            self._labels += inside
        before = len(self._labels)
        self._read(rule.fresh, "fresh")
        fresh = tuple(self._labels[before:])
        stated = self._stated
        if not stated.description:
            stated = stated._replace(description=self._sentence)
        labels = tuple(self._labels)
        return ExpandedRule(rule, stated, self._path, labels, body, fresh, self._sentence)

    def _read(self, patterns: Sequence[LabelPattern] | None, *field: str | int) -> Labels:
        path = (*self._path, *field)
        labels = self._expansion.labels(patterns or (), self._values, path, self._defects)
        self._labels += [(path, label) for label in labels]
        return labels

    def _pattern(self) -> PatternAutomaton | None:
        rule = self._rule
        unless: tuple[Labels, ...] = ()
        if isinstance(rule.unless, InOrder):
            unless = tuple(
                self._read(each, "unless", "in_order", place)
                for place, each in enumerate(rule.unless.in_order)
            )
        elif rule.unless is not None:
            unless = (self._read(rule.unless, "unless"),)
        never = self._read(rule.never, "never")
        after, until = self._read(rule.after, "after"), self._read(rule.until, "until")
        if rule.between is not None:
            for field in ("after", "after_each", "until", "before"):
                if getattr(rule, field):
                    told = "goes with no between, which says both ends: keep one of the two"
                    self._defects.append(Defect((*self._path, field), told))
                    return None
            after = self._read(rule.between[0], "between", 0)
            until = self._read(rule.between[1], "between", 1)
        pattern = Pattern(
            never=never,
            unless=unless,
            after=after,
            after_each=self._read(rule.after_each, "after_each"),
            until=until,
            before=self._read(rule.before, "before"),
            told_at_end=rule.between is not None,
        )
        defect = pattern_defect(pattern)
        if defect is not None:
            self._defects.append(Defect((*self._path, defect[0]), defect[1]))
            return None
        self._sentence = pattern_sentence(self._words())
        return pattern_automaton(pattern)

    def _words(self) -> PatternWords:
        rule, said = self._rule, self._said
        unless: tuple[str, ...] = ()
        if isinstance(rule.unless, InOrder):
            unless = tuple(map(said, rule.unless.in_order))
        elif rule.unless is not None:
            unless = (said(rule.unless),)
        first, second = rule.between or (None, None)
        return PatternWords(
            never=said(rule.never),
            unless=unless,
            after=said(first or rule.after),
            after_each=said(rule.after_each),
            until=said(second or rule.until),
            before=said(rule.before),
            told_at_end=rule.between is not None,
        )

    def _said(self, patterns: Sequence[LabelPattern] | None) -> str:
        """Patterns as they are written, with the values of variables."""
        return " or ".join(str(each.with_values(self._values)) for each in patterns or ())

    def _steps(self) -> PatternAutomaton | None:
        rule = self._rule
        steps = [self._read(each, "steps", place) for place, each in enumerate(rule.steps or ())]
        arcs = [Arc(place, each, place + 1, False) for place, each in enumerate(steps)]
        for place, cancellation in enumerate(rule.cancel):
            (first, last), back = cancellation.after, cancellation.back_to
            on = self._read(cancellation.on, "cancel", place, "on")
            path = (*self._path, "cancel", place)
            if not 1 <= first <= last < len(steps):
                told = f"[{first}, {last}] is no stretch of {len(steps)} steps: 1 <= first <= last"
                self._defects.append(Defect((*path, "after"), f"{told} < {len(steps)} is needed"))
            elif not 0 <= back < first:
                told = f"{back} does not lie before the stretch: 0 <= back_to < {first} is needed"
                self._defects.append(Defect((*path, "back_to"), told))
            else:
                arcs += [Arc(state, on, back, True) for state in range(first, last + 1)]
        cancelling = [self._said(each.on) for each in rule.cancel]
        self._sentence = steps_sentence([*map(self._said, rule.steps or ())], cancelling)
        return PatternAutomaton(len(steps), tuple(arcs), True)


def compiled_rules(rules: Sequence[ExpandedRule]) -> LoadedProperty:
    """The property of all rules together.

    Raises `PropertyError` with paths from the top of the document.
    """
    defects: list[Defect] = []
    names = _StateNames(rules, defects)
    automata: list[SequenceAutomaton] = []
    parameters: list[tuple[ExpandedRule, Parameters]] = []
    carried: dict[Message, tuple[tuple[str, ...], StatedRule]] = {}
    for rule in rules:
        try:
            automaton, own = _compiled(rule, names)
        except PropertyError as error:
            defects += error.defects
            continue
        stated = RuleStates(rule.stated, frozenset(automaton.states))
        automata.append(replace(automaton, rules=(stated,)))
        if own is not None:
            parameters.append((rule, own))
        defects += _carries_another(rule, carried)
    defects += _forgotten_by_some(parameters)
    states = sum(len(each.states) for each in automata)
    if states > MAX_STATES_OF_RULES:
        told = f"come to {states} states; at most {MAX_STATES_OF_RULES} are supported: split them"
        defects.append(Defect(("rules",), told))
    if defects:
        raise PropertyError(tuple(dict.fromkeys(defects)))
    automaton = joined(automata)
    if all(rule.body is not None and rule.body.is_chain for rule in rules):
        lengths = tuple([rule.body.final for rule in rules if rule.body is not None])
        automaton = replace(automaton, sequences=lengths)
    patterns = tuple(rule.sentence for rule in rules)
    return LoadedProperty(
        automaton, "precise", (), together([own for _, own in parameters]), patterns
    )


def _compiled(
    rule: ExpandedRule, names: _StateNames
) -> tuple[SequenceAutomaton, Parameters | None]:
    document, path = rule.document, rule.path
    if document.automaton is not None:
        try:
            automaton = automaton_of(document.automaton, "reject")
        except PropertyError as error:
            raise _within((*path, "automaton"), error) from None
    elif rule.body is not None:
        automaton = _of_arcs(rule.body, names.some(rule.body.final + 1), path)
    else:
        raise PropertyError(())  # told before
    automaton, parameters = for_each_instance(
        automaton, document.for_each, rule.labels, rule.fresh, path
    )
    if document.forget_after is not None:
        parameters = forgetting(parameters, rule.fresh, document.forget_after, path)
    return automaton, parameters


def _of_arcs(body: PatternAutomaton, states: Sequence[str], path: Path) -> SequenceAutomaton:
    stated = [
        StatedTransition(states[arc.source], label, states[arc.target], arc.backward)
        for arc in body.arcs
        for label, _ in arc.labels
    ]
    try:
        return sequence_automaton(
            initial=(states[0],), final=(states[body.final],), transitions=stated
        )
    except PropertyError as error:
        raise _within(path, error) from None


class _StateNames:
    """Names for the states of rules that give them none: q0, q1 and so on through all rules, so
    that they say nothing, without those that automata have."""

    def __init__(self, rules: Sequence[ExpandedRule], defects: list[Defect]) -> None:
        self._taken: dict[str, str] = {}
        for rule in rules:
            if rule.document.automaton is None:
                continue
            transitions = rule.document.automaton.transitions
            own = dict.fromkeys(state for t in transitions for state in (t.source, t.target))
            for state in own:
                other = self._taken.setdefault(state, rule.stated.id)
                if other != rule.stated.id:
                    told = f"has the state {state}, which is one of {other}, too: name it otherwise"
                    defects.append(Defect((*rule.path, "automaton"), told))
        self._names = (name for number in count() if (name := f"q{number}") not in self._taken)

    def some(self, number: int) -> list[str]:
        """The next `number` names of states, in order."""
        return [next(self._names) for _ in range(number)]


def _carries_another(
    rule: ExpandedRule, carried: dict[Message, tuple[tuple[str, ...], StatedRule]]
) -> Iterator[Defect]:
    """Messages that carry other parameters here than in a rule before."""
    for path, (label, parameters) in rule.labels:
        if label == BEGIN:
            continue
        before, other = carried.setdefault(label.message, (parameters, rule.stated))
        if {*before} != {*parameters} and other.id != rule.stated.id:
            told = (
                f"carries {listed(parameters)}, and in {other.id}, line {other.line}, "
                f"{listed(before)}: one message carries the same in all rules of a document; "
                "write the same parameters in both, and name them in for_each"
            )
            yield Defect(path, told)


def listed(parameters: Sequence[str]) -> str:
    """List what a message carries: `(tenant, order)`, or `nothing`."""
    return f"({', '.join(parameters)})" if parameters else "nothing"


def _forgotten_by_some(rules: Sequence[tuple[ExpandedRule, Parameters]]) -> Iterator[Defect]:
    paths = {rule.stated.id: rule.path for rule, _ in rules}
    named = [(rule.stated.id, parameters) for rule, parameters in rules]
    for name, names, other in forgotten_by_some(named):
        yield Defect((*paths[name], "forget_after"), remembered_elsewhere(names, other))


def remembered_elsewhere(names: Sequence[str], other: str) -> str:
    """Say that another rule remembers what a rule forgets."""
    return (
        f"forgets what ({', '.join(names)}) is remembered of, and {other}, which is about that, "
        "too, does not: give both forget_after and a label in fresh that carries just that, or "
        "none of them"
    )


def _within(path: Path, error: PropertyError) -> PropertyError:
    return PropertyError(
        tuple(Defect((*path, *defect.path), defect.message) for defect in error.defects)
    )


def labels_of_rules(rules: Sequence[ExpandedRule]) -> Iterator[tuple[Path, CarryingLabel]]:
    """The labels of all rules with their paths, in the author's order."""
    for rule in rules:
        yield from rule.labels
