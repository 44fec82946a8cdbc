"""Verdicts by name: what is easily answered wrongly, and counterexamples to other ways."""

from __future__ import annotations

from typing import Final, NamedTuple

from choreomon.interaction.lifelines import mask
from choreomon.interaction.term import (
    Interaction,
    alt,
    coreg,
    loop_c,
    loop_h,
    loop_p,
    loop_s,
    loop_w,
    par,
    seq,
    strict,
)
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify.exact import decide_exact
from choreomon.verify.verdict import Verdict
from tests.interaction.drawn import a
from tests.verify.exact_cases import EXACT_MODES, multi, passing
from tests.verify.papers.questions import logs, mask_of

WORDS: Final = {"P": Verdict.PASS, "W": Verdict.WEAK_PASS, "F": Verdict.FAIL}


class Case(NamedTuple):
    """`expected`: for accept, prefix, multiprefix and slice, Pass, WeakPass or Fail."""

    interaction: Interaction
    logs: str
    expected: str


NESTED: Final = loop_s(strict(a("l1!a"), loop_s(strict(a("l1!b"), a("l2?c")))))
FIGURE_11A: Final = loop_p(seq(a("l!m1"), a("l?m2")))
FIGURE_11B: Final = loop_w(passing("l1", "m", "l2"))
FIGURE_11C: Final = coreg(
    mask_of("l2"), loop_w(passing("l1", "m1", "l2")), loop_w(passing("l1", "m2", "l2"))
)
OVERTAKING: Final = loop_h(alt(seq(a("l3!p"), a("l1!a")), seq(a("l1!b"), a("l2!c"))))
NO_GAP: Final = seq(
    strict(a("l2!x"), a("l1!a")),
    alt(seq(a("l1!c"), a("l2!z")), seq(a("l1!b"), a("l1!c"), a("l2!y"))),
)
"""Each lifeline for itself may have `a c` and `x y`, but not both."""
INNER: Final = coreg(mask_of("l1,l2,l3"), loop_c(mask_of("l2"), a("l3!b")), a("l2?b"))
CHOICE: Final = alt(seq(a("l1!m"), a("l2!m"), a("l3!m")), seq(a("l1!n"), a("l2!n"), a("l3!m")))
MESSAGE: Final = seq(a("l1!m"), a("l2?m"))
STRICT: Final = strict(a("l1!a"), a("l2!b"))
BOTH_WAYS: Final = par(loop_w(strict(a("l1!m"), a("l2?m"))), loop_w(strict(a("l2!n"), a("l1?n"))))
"""Its operands order the same lifelines, one this way, one that way."""
ORDERS: Final = loop_s(strict(a("l1!order"), a("l2?order"), seq(a("l2!parcel"), a("l1?parcel"))))
FREE_CHOICE: Final = loop_s(alt(strict(a("l1!go"), a("l2?go")), strict(a("l3!go"), a("l4?go"))))
EXCHANGES: Final = loop_w(alt(passing("l1", "m", "l2"), passing("l2", "n", "l1")))
RELAYED: Final = seq(
    loop_w(alt(passing("l1", "m", "l2"), passing("l2", "n", "l3"))), passing("l3", "o", "l2")
)
"""Before `l2?o`, all `l1!m` were received."""
RING: Final = [passing(f"l{n}", f"m{n}", f"l{(n + 1) % 6}") for n in range(6)]

CASES: Final = {
    # One observed action serves an iteration and those around it.
    "served": Case(NESTED, "l1: ; l2: l2?c", "FFWW"),
    "served twice": Case(NESTED, "l1: ; l2: l2?c l2?c", "FFWW"),
    "served by nothing": Case(NESTED, "l1: ; l2: l2?d", "FFFF"),
    # The slices paper, Fig. 11 and section 5.4: what its bounded simulation missed.
    "figure 11a": Case(FIGURE_11A, "l: l?m2 l?m2 l?m2", "FFFW"),
    "figure 11b": Case(FIGURE_11B, "l1,l2: l2?m l2?m", "FFFW"),
    "figure 11c": Case(FIGURE_11C, "l1: ; l2: l2?m2 l2?m1", "FFWW"),
    "figure 11c, three loops": Case(FIGURE_11C, "l1: ; l2: l2?m2 l2?m2 l2?m1", "FFWW"),
    # The counterexamples to the removal paper, Theorem 1, and others of their kind.
    "strict in both operands of par": Case(
        par(strict(a("l1!m1"), a("l2!m1")), strict(a("l2!m2"), a("l1!m2"))),
        "l1: l1!m2 l1!m1; l2: l2!m1 l2!m2",
        "FFFF",
    ),
    "order through a removed lifeline": Case(
        par(
            seq(strict(a("l1!m1"), a("l3!m1")), strict(a("l3!m1"), a("l2!m1"))),
            strict(a("l2!m2"), a("l1!m2")),
        ),
        "l1: l1!m2 l1!m1; l2: l2!m1 l2!m2; l3:",
        "FFFF",
    ),
    "one lifeline in the region of coreg": Case(
        coreg(
            mask_of("l1"),
            seq(strict(a("l1!a"), a("l3!x")), strict(a("l3?x"), a("l2!c"))),
            strict(a("l2!d"), a("l1!b")),
        ),
        "l1: l1!b l1!a; l2: l2!c l2!d; l3:",
        "FFFF",
    ),
    "loopH beside strict": Case(
        par(OVERTAKING, strict(a("l2!d"), a("l1!e"))),
        "l1: l1!e l1!a l1!b; l2: l2!c l2!d; l3:",
        "FFWW",
    ),
    "two orders under loopP": Case(
        loop_p(alt(strict(a("l1!a"), a("l2!b")), strict(a("l2!c"), a("l1!d")))),
        "l1: l1!d l1!a; l2: l2!b l2!c",
        "FFFW",
    ),
    # A projection of loopH onto a common clock is no necessary condition.
    "loopH on a common clock": Case(OVERTAKING, "l1,l2: l2!c l1!a l1!b; l3: l3!p", "PPPP"),
    "loopH that began too late": Case(
        loop_h(par(alt(a("l2!n"), a("l3!m")), a("l2!m"))), "l2,l3: l3!m l2!n", "FFFW"
    ),
    "loopH that nobody began": Case(OVERTAKING, "l1,l2: l2!c l1!a l1!b; l3:", "FFWW"),
    # The iteration of the inner loop contributes no observed action; without it, the outer one
    # would begin with `l2!m`, before which the later one could not begin.
    "a head that nobody saw": Case(
        loop_h(strict(loop_c(mask_of("l2"), seq(a("l3!n"), a("l3?n"))), a("l2!m"))),
        "l1: ; l2,l3: l3!n l2!m",
        "FFFW",
    ),
    # The prefix of a strict sequence is not its parts.
    "strict prefix": Case(STRICT, "l1: ; l2: l2!b", "FFWW"),
    "strict whole": Case(STRICT, "l1: l1!a; l2: l2!b", "PPPP"),
    "strict reversed": Case(STRICT, "l1,l2: l2!b l1!a", "FFFF"),
    "strict with a silent stranger": Case(STRICT, "l1,x: l1!a; l2: l2!b", "PPPP"),
    "a loop that must not be discarded": Case(
        strict(loop_s(a("l1!b")), a("l2!a")), "l1: l1!b; l2: l2!a", "PPPP"
    ),
    # Lifelines that no component is about are silent, not unknown; others fit nothing.
    "l1 is silent": Case(passing("l1", "m", "l2"), "l2: l2?m", "FFWW"),
    "with an empty stranger": Case(MESSAGE, "l1: l1!m; l2: l2?m; x: ", "PPPP"),
    "half, with an empty stranger": Case(MESSAGE, "l1: l1!m; x: ", "FWWW"),
    "other half, with an empty stranger": Case(MESSAGE, "l2: l2?m; x: ", "FWWW"),
    "a stranger acts": Case(MESSAGE, "l1: l1!m; l2: l2?m; x: x!m", "FFFF"),
    "another message": Case(MESSAGE, "l1: l1!other; l2: l2?m", "FFFF"),
    "only strangers": Case(MESSAGE, "x: ; y: ", "FWWW"),
    "in the middle of a log": Case(loop_w(a("l1!m")), "l1: l1!m l1!other l1!m l1!m", "FFFF"),
    # Windows have no gaps.
    "two windows": Case(NO_GAP, "l1,l2: l2!x l1!a l1!c l2!y", "FFFF"),
    "one window": Case(NO_GAP, "l1,l2: l1!c l2!y", "FFFW"),
    "of equal operands the second": Case(
        seq(a("l1!a"), a("l1!a"), a("l1!b"), a("l2?b")), "l1,l2: l1!a l1!b l2?b", "FFFW"
    ),
    "loops in loops": Case(
        loop_c(mask_of("l1,l2"), strict(a("l1?b"), loop_w(INNER))),
        "l1: l1?b l1?b l1?b l1?b; l2,l3: l2?b l3!b l3!b l3!b l2?b l3!b l2?b",
        "PPPP",
    ),
    # What cannot happen yet may happen unobserved later: l1 cannot have begun before the others
    # are done, and only then is `l1?n` done unobserved.
    "unobserved in the end": Case(
        strict(*[a("l2!m"), a("l3!m")] * 3, a("l1?n"), a("l1?m")),
        "l1: l1?m; l2,l3: l2!m l3!m l2!m l3!m l2!m",
        "FFFW",
    ),
    "who has not begun is not first": Case(
        seq(strict(a("l2!x"), a("l1!u")), a("l1!a")), "l1: l1!a; l2: l2!x", "FFFW"
    ),
    "nobody has begun where others are over": Case(
        seq(a("l1!m"), a("l2!m"), a("l2!n"), a("l1!n")), "l1: l1!n; l2: l2!n", "FFFW"
    ),
    "the wrong branch is smaller": Case(
        alt(strict(a("l1!m"), a("l2!m"), a("l3!m")), strict(a("l1!m"), a("l2!n"))),
        "l1,l2: l1!m l2!m; l3: l3!m",
        "PPPP",
    ),
    "branches that are told apart late": Case(
        par(
            a("l1!m"),
            alt(
                seq(a("l2!x"), a("l2!y"), a("l3!p"), a("l3!r")),
                seq(a("l2!x"), a("l2!z"), a("l3!p"), a("l3!s")),
            ),
        ),
        "l1: l1!m; l2: l2!x l2!z; l3: l3!p l3!s",
        "PPPP",
    ),
    # What no component alone tells is told by two of them.
    "ends of both branches": Case(CHOICE, "l1: l1!m; l2: l2!n; l3: l3!m", "FFFF"),
    "ends of one branch": Case(CHOICE, "l1: l1!m; l2:; l3: l3!m", "FWWW"),
    "all of a branch": Case(CHOICE, "l1: l1!n; l2: l2!n; l3: l3!m", "PPPP"),
    "ends of both branches in a loop": Case(loop_w(CHOICE), "l1: l1!m; l2: l2!n", "FFFW"),
    # Slices and multi-prefixes, where operands order the same lifelines both ways.
    "late": Case(BOTH_WAYS, "l1: l1?n; l2: l2?m l2!n", "FFFW"),
    "a multi-prefix": Case(BOTH_WAYS, "l1: l1?n; l2: l2!n l2?m", "FFWW"),
    "late, and goes on": Case(BOTH_WAYS, "l1: l1?n l1!m; l2: l2?m l2!n", "FFFW"),
    "no slice": Case(BOTH_WAYS, "l1: l1!m; l2: l2?n", "FFFF"),
    # An order that is done again and again.
    "orders": Case(ORDERS, "l1: l1!order l1?parcel; l2: l2?order l2!parcel", "PPPP"),
    "an order too many": Case(
        ORDERS, "l1: l1!order l1?parcel; l2: l2?order l2!parcel l2?order", "FFWW"
    ),
    "orders that began before": Case(ORDERS, "l1: l1?parcel; l2: l2!parcel l2?order", "FFFW"),
    # Choices that nobody needs to make yet.
    "free choices": Case(
        FREE_CHOICE,
        "; ".join(f"l{n}: " + f"l{n}{'?!'[n % 2]}go " * 5 for n in (1, 2, 3, 4)),
        "PPPP",
    ),
    "a free choice too many": Case(
        FREE_CHOICE, "l1: l1!go; l2: l2?go; l3: l3!go l3!go; l4: l4?go l4?go l4?go", "FFWW"
    ),
    # Too few were received: no component alone shows that.
    "four received of five": Case(
        seq(EXCHANGES, passing("l1", "o", "l2")),
        "l1: l1!m l1!m l1?n l1?n l1!m l1!m l1?n l1?n l1?n l1!m l1!o;"
        "l2: l2?m l2?m l2!n l2!n l2?m l2?m l2!n l2!n l2!n l2?o",
        "FFFF",
    ),
    "three received of four": Case(
        RELAYED,
        "l1,l3: l1!m l3?n l1!m l3?n l3?n l1!m l3?n l1!m l3?n l3!o;"
        "l2: l2!n l2?m l2!n l2!n l2?m l2!n l2?m l2!n l2?o",
        "FFFW",
    ),
    # Lifelines that share a clock take turns with others.
    "shared clocks": Case(
        loop_p(seq(*[a(f"l{n}!m{n}") for n in range(8)])),
        "l0,l1: l1!m1 l0!m0 l0!m0; l2,l3: l2!m2; l4: l4!m4 l4!m4; l5,l6,l7: l7!m7 l5!m5",
        "FWWW",
    ),
    "shared clocks, another order": Case(
        strict(*[a(f"l{n}!m{n}") for n in range(3)]), "l0,l1: l1!m1 l0!m0; l2: l2!m2", "FFFF"
    ),
    "another component has to be first": Case(
        loop_s(par(*RING)),
        "l0,l1: l1?m0 l1!m1 l0?m5 l0!m0 l1?m0 l1!m1 l0?m5;"
        "l2,l3: l2?m1 l2!m2 l3?m2 l3!m3 l2?m1 l2!m2",
        "FFFW",
    ),
    "a hundred choices": Case(
        alt(*[strict(a("l1!m"), a(f"l2?m{number}")) for number in range(100)]),
        "l1,l2: l1!m l2?m3",
        "PPPP",
    ),
    # As many of each action as an accepted trace has, or any multiple.
    "two of an even number": Case(loop_p(seq(a("l1!m"), a("l1!m"))), "l1: l1!m l1!m", "PPPP"),
    "three of an even number": Case(
        loop_p(seq(a("l1!m"), a("l1!m"))), "l1: l1!m l1!m l1!m", "FWWW"
    ),
}

# -- when something happened unobserved: circles of orders lead through lifelines that nobody
#    observed -----------------------------------------------------------------------------------

ON_L1: Final = mask(["l1"])
FOLLOWED = strict(a("l1!a"), a("l2!x"))
GAP = seq(FOLLOWED, strict(a("l2!y"), a("l3!u"), a("l1!b")))
"""`l2!x` is after `l1!a`, so are `l2!y` and `l3!u`: too late for a clock that l1 and l3 share."""
ACROSS = coreg(
    mask(["l1", "l3"]),
    strict(a("l1!a"), a("l2!x"), a("l1!c")),
    strict(a("l2!y"), a("l3!u"), a("l1!b")),
)
"""As `GAP`, but `l2!x` was decided on, for `l1!c`, before `l2!y` was."""
BEHIND = coreg(
    ON_L1, FOLLOWED, strict(a("l2!y"), a("l3!u"), a("l1!b")), strict(a("l2!z"), a("l1!c"))
)
"""As `GAP`, where `l2!y` is decided on, for `l2!z`, and the `l3!u` behind it is not yet."""
ENDED = coreg(
    ON_L1,
    strict(a("l1!a"), a("l3!d")),
    strict(seq(strict(a("l3!v"), a("l2!y")), strict(a("l2!z"), a("l1!u"))), a("l1!b")),
)
"""`l3!v` is after `l3!d`, where l3 was observed no longer, `l1!u` before `l1!a`, where l1 was not
yet: `l2!y` and `l2!z` would have to change places."""
CHOSEN = coreg(
    ON_L1,
    strict(a("l1!a"), a("l3!d")),
    strict(alt(strict(a("l3!v"), a("l1!u")), strict(a("l3!v"), a("l1!w"))), a("l1!b")),
)
"""As `ENDED`, within a choice."""
WITHIN = coreg(
    ON_L1,
    strict(a("l1!a"), a("l3!d")),
    strict(
        seq(a("l3!v"), loop_w(a("l1!t"))),
        alt(strict(a("l1!u"), a("l1!b")), strict(a("l1!w"), a("l1!b"))),
    ),
)
"""As `ENDED`, where the same operand did `l1!u` and does `l1!b`."""
REPEATED = loop_w(
    strict(a("l3?n"), loop_c(mask(["l1", "l3"]), strict(a("l3?m"), a("l2?p"), a("l1!m"))))
)
TWICE = coreg(mask(["l2"]), strict(a("l2?q"), a("l3!u"), a("l3!w")), strict(a("l2!y"), a("l2!z")))
"""`l2!y` is before `l2?q`, where l2 was not observed yet, `l3!u` after it, where l3 was not."""
IN_BETWEEN = strict(
    coreg(
        mask(["l2"]),
        strict(coreg(mask(["l3"]), strict(a("l2?q"), a("l3!u")), a("l3!s")), a("l3!w")),
        a("l2!y"),
    ),
    a("l2!z"),
)
"""As `TWICE`, but l3 was observed before what needs `l3!u`."""

GAPS: list[tuple[Interaction, MultiTrace, bool]] = [
    (GAP, multi(l1_l3="l1!a l1!b", l2=""), False),
    (GAP, multi(l1_l3="l1!a l3!u l1!b", l2=""), True),
    (GAP, multi(l1_l3="l1!b", l2=""), True),
    (ACROSS, multi(l1_l3="l1!a l1!c l1!b", l2=""), False),
    (ACROSS, multi(l1_l3="l1!b l1!a l1!c", l2=""), False),
    (ACROSS, multi(l1_l3="l1!a l1!c l3!u l1!b", l2=""), True),
    (BEHIND, multi(l1_l3="l1!a l1!c l1!b", l2=""), False),
    (BEHIND, multi(l1_l3="l1!a l1!c l3!u l1!b", l2=""), True),
    (ENDED, multi(l1="l1!a l1!b", l3="l3!d", l2=""), False),
    (ENDED, multi(l1="l1!a l1!u l1!b", l3="l3!d", l2=""), True),
    (CHOSEN, multi(l1="l1!a l1!b", l3="l3!d", l2=""), False),
    (CHOSEN, multi(l1="l1!a l1!w l1!b", l3="l3!d", l2=""), True),
    (WITHIN, multi(l1="l1!a l1!b", l3="l3!d"), False),
    (WITHIN, multi(l1="l1!a l1!u l1!b", l3="l3!d"), True),
    (TWICE, multi(l2="l2?q l2!z", l3="l3!w"), True),
    (TWICE, multi(l2_l3="l2?q l3!w l2!z"), False),
    (IN_BETWEEN, multi(l2="l2?q l2!z", l3="l3!s l3!w"), True),
    (IN_BETWEEN, multi(l2_l3="l2?q l3!s l3!w l2!z"), False),
    (REPEATED, multi(l1_l2="l2?p l2?p l1!m l1!m l1!m", l3=""), True),
]
"""Interaction, logs, and whether they are a slice of it."""


def wrong_by_name() -> list[str]:
    """The names, or numbers, of what is answered wrongly."""
    found = [
        name
        for name, (interaction, text, expected) in CASES.items()
        if any(
            decide_exact(interaction, logs(text), mode).verdict is not WORDS[letter]
            for mode, letter in zip(EXACT_MODES, expected, strict=True)
        )
    ]
    return found + [
        str(number)
        for number, (interaction, seen, fits) in enumerate(GAPS)
        if decide_exact(interaction, seen, "slice").verdict.passes is not fits
    ]
