"""Questions about many multi-traces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from choreomon.batch.bounds import MEMORY
from choreomon.verify.papers.options import Analysis

if TYPE_CHECKING:
    from choreomon.automata.automaton import Automaton
    from choreomon.interaction.term import Interaction
    from choreomon.multitrace.multitrace import MultiTrace
    from choreomon.verify.papers.graph import SearchResult

Source: TypeAlias = "str | tuple[str, MultiTrace]"
"""The path of a multi-trace (`choreomon.interaction_files.loading`), or its name and itself."""

OnSearch: TypeAlias = "Callable[[str, Interaction, SearchResult], None]"
"""Receives the graph of each search, in the process that searched; the first argument is the path
or the name of the multi-trace. A `ChoreomonError` that it raises becomes the problem of that one.
Other processes must be able to take it, so it is a function of a module, or a value."""

_QUICKEST: Final = Analysis()


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question about every multi-trace.

    - `interaction`: what should happen: the path of a file, or the interaction; None if it is given
      by an - `automaton`: the path of its file, or the automaton. The `analysis` then says the
      mode, one of those that automata answer, perhaps a `procedure`, and no `search`;
    - `locations`: the path of the file that says where the letters of that file are;
    - `signature`: the path of the file that says which lifelines and messages there are; None:
      files may have others, which never fit;
    - `analysis`: what is asked, and how the answer is looked for;
    - `clocks`: of event logs, groups of processes that share a clock;
    - `budget`: seconds for each decision, and once more for its explanation. None: no bound for
      decisions but `bounds.DECIDING_DEEP` if the interaction is `bounds.DEEP`, and
      `bounds.EXPLAINING` for explanations;
    - `memory`: megabytes that each process may have, with all that it keeps from one decision to
      the next; None: no bound. Once half of it is used up, nothing is kept;
    - `explain`: whether to look for a witness, or for where the explanation breaks;
    - `on_search`: called with the graph of each search; `analysis` must then have a `search`, and
      be no portfolio.
    """

    interaction: str | Interaction | None = None
    automaton: str | Automaton | None = None
    locations: str | None = None
    signature: str | None = None
    analysis: Analysis = _QUICKEST
    clocks: tuple[tuple[str, ...], ...] = ()
    budget: float | None = None
    memory: int | None = MEMORY
    explain: bool = False
    on_search: OnSearch | None = None
