"""Multi-traces of one interaction with known answers, published or freshly generated.

The removal paper, section 6.1, for each interaction: accepted multi-traces of 1 to 30 actions; one
multi-prefix of each; and of each multi-prefix three mutants, with a random action inserted, with
two actions of a component interverted, and with a component of another multi-prefix.

Deviations: duplicates of one kind are left out from the start (the paper counts unique ones as
well), so an interaction that accepts few short multi-traces gives fewer than it was asked for. A
mutant is always different from what it was made of. In the published data set the "accepted"
multi-traces are mostly those of prefixes of accepted global traces; fresh ones are accepted.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from choreomon.core.action import Action
from choreomon.interaction.normal import normal
from choreomon.interaction.step import after
from choreomon.interaction.term import Interaction, subterms
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.multitrace.mutation import alphabet, insert_action, swap_actions, swap_components
from choreomon.multitrace.projection import discrete, project_trace
from choreomon.multitrace.slices import random_multi_prefix
from choreomon.verify.budget import ShouldStop
from choreomon.verify.exact import ExactDecider
from choreomon.verify.verdict import Verdict

if TYPE_CHECKING:
    from random import Random

Kind: TypeAlias = Literal["ACPT", "PREF", "NOIS", "SACT", "SCMP"]
"""Accepted, multi-prefix, and the mutants: noise, swapped actions, swapped components."""

KINDS: Final[tuple[Kind, ...]] = ("ACPT", "PREF", "NOIS", "SACT", "SCMP")

LONGEST: Final = 30
"""The most actions of a generated accepted multi-trace."""

KNOWN_WITHIN: Final = 1_000
"""The most vertices, or states of automata, spent on a known answer; the few multi-traces without
an answer by then are left out. Not seconds, so that a seed gives one result."""


class Case(NamedTuple):
    """A multi-trace over the discrete partition, whether it is accepted, and whether it is a
    multi-prefix of something accepted (*Ok* in the paper's tables)."""

    kind: Kind
    name: str
    multitrace: MultiTrace
    accepted: bool
    conforms: bool

    @property
    def verdict(self) -> Verdict:
        """The right answer of the mode `multiprefix`."""
        if self.accepted:
            return Verdict.PASS
        return Verdict.WEAK_PASS if self.conforms else Verdict.FAIL


class Subject(NamedTuple):
    """An interaction and its cases."""

    name: str
    interaction: Interaction
    cases: tuple[Case, ...]

    def sample(self, rng: Random, count: int) -> Subject:
        """Sample at most `count` of the cases, uniformly, in their order."""
        if len(self.cases) <= count:
            return self
        chosen = sorted(rng.sample(range(len(self.cases)), count))
        return self._replace(cases=tuple(self.cases[number] for number in chosen))


def random_accepted(
    rng: Random, interaction: Interaction, longest: int = LONGEST
) -> tuple[Action, ...] | None:
    """A non-empty accepted global trace of at most `longest` actions, or None if the walk drawn has
    none: it ends, if it can, once a length drawn before is reached. All possible actions are
    equally likely."""
    wanted = rng.randint(1, longest)
    trace: list[Action] = []
    accepted = 0
    term = normal(interaction)
    leaves = [part for part in subterms(term) if part.action is not None]
    while len(trace) < longest and not wanted <= accepted:
        rng.shuffle(leaves)
        # Not `frontier`: computing all follow-ups of growing terms would take most of the time.
        leaf, found = next(
            ((leaf, rest) for leaf in leaves if (rest := after(term, leaf))), (None, ())
        )
        if leaf is None or leaf.action is None:
            break
        trace.append(leaf.action)
        term = normal(rng.choice(found))
        if term.terminates:
            accepted = len(trace)
    return tuple(trace[:accepted]) or None


def random_subject(
    rng: Random,
    name: str,
    interaction: Interaction,
    *,
    lifelines: Sequence[str],
    messages: Sequence[str],
    count: int,
) -> Subject:
    """A subject with up to `count` cases of each kind, over a component for each of `lifelines`.

    ACPT and PREF are right by construction; `ExactDecider` decides the others. The search for
    accepted multi-traces ends after `count` walks in a row without a new one.
    """
    onto = discrete(lifelines)
    accepted: dict[MultiTrace, None] = {}
    in_vain = 0
    while len(accepted) < count and in_vain < count:
        trace = random_accepted(rng, interaction)
        made = None if trace is None else project_trace(trace, onto)
        if made is None or made in accepted:
            in_vain += 1
        else:
            accepted[made] = None
            in_vain = 0
    prefixes = [random_multi_prefix(rng, one) for one in accepted]
    actions = alphabet(lifelines, messages)
    made_of: dict[Kind, list[MultiTrace | None]] = {
        "ACPT": list(accepted),
        "PREF": list(prefixes),
        "NOIS": [insert_action(rng, one, actions) for one in prefixes],
        "SACT": [swap_actions(rng, one) for one in prefixes],
        "SCMP": [_with_foreign_component(rng, one, prefixes) for one in prefixes],
    }
    known = ExactDecider(interaction, "multiprefix")
    cases: list[Case] = []
    for kind in KINDS:
        for number, multitrace in enumerate(dict.fromkeys(made_of[kind])):
            if multitrace is None:
                continue
            # Decided for all, since a multi-prefix may be accepted itself.
            verdict = known.decide(multitrace, _patience()).verdict
            if verdict is Verdict.INCONC:
                continue
            by_construction = kind in ("ACPT", "PREF")
            cases.append(
                Case(
                    kind,
                    f"{kind.lower()}{number + 1}",
                    multitrace,
                    kind == "ACPT" or verdict is Verdict.PASS,
                    by_construction or verdict.passes,
                )
            )
    return Subject(name, interaction, tuple(cases))


def _patience() -> ShouldStop:
    checks = count()
    return lambda: "TimedOut" if next(checks) >= KNOWN_WITHIN else None


def _with_foreign_component(
    rng: Random, one: MultiTrace, others: Sequence[MultiTrace]
) -> MultiTrace | None:
    swapped = swap_components(rng, one, rng.choice(others))
    return None if swapped is None else swapped[0]
