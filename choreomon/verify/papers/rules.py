"""The rules of every mode: the steps from a vertex, the ends of paths, and what these mean.

- `accept`: the small-step paper, Definition 11. `test`: the same, with its section 4.5.
- `prefix`: the slices paper, section 7.4: `accept`, but the interaction need not be over.
- `multiprefix` by removal: the removal paper, Definition 10, with the two rules that its section 5
  takes for granted: all lifelines that are used up are removed at once, and before anything is
  executed.
- `simulate`: the slices paper, Definition 7, with the measure of its section 5.1.
- `slice`: Definition 7 again, but with an exact bound on unobserved actions. Every iteration that
  they open must come to consume an observed action; open ones that contain no other one need one
  each (docs/adr/016). `multiprefix` by search is the same with nothing missing at the start.

The end of the multi-trace is an end of the path at once, also where the papers draw a removal in
between. A component that is used up and whose lifelines are not in the interaction as it was at
first does not lack observation in `test`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeAlias

from choreomon.verify.papers.graph import End
from choreomon.verify.papers.local import Condition
from choreomon.verify.papers.options import Method
from choreomon.verify.verdict import Mode, Verdict

Simulation: TypeAlias = Literal["none", "measured", "exact"]


class Rules(NamedTuple):
    """The rules of a mode.

    - `removal`: whether the lifelines of used up components are removed;
    - `simulation`: whether actions may be done unobserved, and what bounds them;
    - `before`: whether they may before the first observed action of their component, too;
    - `used_up`: the end where the multi-trace is used up, unless it is `Cov`;
    - `knows_acceptance`: whether such an end is `Cov` where the interaction may stop and nothing
      was removed (elsewhere the path does not show it);
    - `stuck`: the end where no step is left;
    - `local`: the condition of local analyses, None for none; for a component not yet started it is
      `factor` if `before`;
    - `reducible`: whether the sound reduction may be used;
    - `weighs_ends`: whether the best end of the one graph is the verdict, so that a WeakPass is not
      checked in the graph of `accept`;
    - `verdicts`: what an end says about the multi-trace, if better than `not_found`.
    """

    removal: bool
    simulation: Simulation
    before: bool
    used_up: End
    knows_acceptance: bool
    stuck: End
    local: Condition | None
    reducible: bool
    weighs_ends: bool
    verdicts: Mapping[End, Verdict]
    not_found: Verdict


def _verdicts(**ends: Verdict) -> Mapping[End, Verdict]:
    return MappingProxyType(ends)  # type: ignore[arg-type]


_PASSES: Final = _verdicts(Cov=Verdict.PASS, TooShort=Verdict.WEAK_PASS)


_ACCEPT: Final = Rules(
    removal=False,
    simulation="none",
    before=False,
    used_up="TooShort",
    knows_acceptance=True,
    stuck="Out",
    local="exact",
    reducible=True,
    weighs_ends=False,
    verdicts=_verdicts(Cov=Verdict.PASS),
    not_found=Verdict.FAIL,
)
_PREFIX: Final = _ACCEPT._replace(local="prefix", reducible=False, verdicts=_PASSES)
_TEST: Final = _PREFIX._replace(
    stuck="LackObs",
    local=None,
    weighs_ends=True,
    verdicts=MappingProxyType({**_PASSES, "LackObs": Verdict.INCONC}),
)
_REMOVAL: Final = _PREFIX._replace(
    removal=True,
    used_up="MultiPref",
    reducible=True,
    verdicts=_verdicts(Cov=Verdict.PASS, MultiPref=Verdict.WEAK_PASS),
)
_BY_SEARCH: Final = _REMOVAL._replace(
    removal=False, simulation="exact", knows_acceptance=False, stuck="OutSim"
)
_SLICE: Final = _BY_SEARCH._replace(
    before=True, used_up="Slice", verdicts=_verdicts(Slice=Verdict.WEAK_PASS)
)
_SIMULATE: Final = _SLICE._replace(
    simulation="measured", reducible=False, not_found=Verdict.WEAK_FAIL
)


def rules_of(mode: Mode, method: Method, *, before: bool) -> Rules:
    """The rules of a mode. `method` (not `auto`) is for `multiprefix`, `before` for `simulate`."""
    if mode == "multiprefix":
        return _REMOVAL if method == "removal" else _BY_SEARCH
    if mode == "simulate":
        return _SIMULATE._replace(before=before)
    return {"accept": _ACCEPT, "test": _TEST, "prefix": _PREFIX, "slice": _SLICE}[mode]
