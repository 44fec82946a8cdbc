"""A check that `simulator` is the package that choreomon brings, and not another one of that
name."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from choreomon.core.errors import ForeignPackage

NAME: Final = "simulator"


def require_own_simulator() -> None:
    """Check that the package `simulator` is ours before importing it, which runs its code. Raises
    ForeignPackage if it is missing or another one."""
    own = Path(__file__).resolve().parents[3] / NAME
    found = _found()
    if found is None or found.resolve() != own:
        raise ForeignPackage(NAME, None if found is None else str(found), str(own))


def _found() -> Path | None:
    """The folder of the package, or the file of the module, that would be imported."""
    try:
        spec = find_spec(NAME)
    except ValueError:  # a module without an origin took its place
        return Path(getattr(sys.modules[NAME], "__file__", None) or "?")
    if spec is None:
        return None
    if spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations)))
    return Path(spec.origin or "?")
