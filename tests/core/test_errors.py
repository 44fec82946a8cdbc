"""Errors are the same in the process that they are sent to."""

from __future__ import annotations

import pickle

import pytest

from choreomon.core import errors
from choreomon.core.errors import (
    AgentUnavailable,
    ChoreomonError,
    Defect,
    DocumentError,
    ForeignPackage,
    MissingExtra,
    Problem,
    PropertyError,
)

MADE: list[ChoreomonError] = [
    PropertyError((Defect(("states", 1), "is no state"), Defect((), "is empty"))),
    DocumentError((Problem("a.yaml", 3, "name", "is no name"), Problem("b.yaml", 0, "", "is bad"))),
    AgentUnavailable("a.sock", "refused", "start it"),
    MissingExtra("plots", "plot", "tables do without"),
    ForeignPackage("simulator", "/elsewhere", "/here"),
    ForeignPackage("simulator", None, "/here"),
    *(
        kind("what is wrong")
        for kind in vars(errors).values()
        if isinstance(kind, type)
        and issubclass(kind, ChoreomonError)
        and kind.__init__ is Exception.__init__
    ),
]


@pytest.mark.parametrize("error", MADE, ids=lambda error: type(error).__name__)
def test_errors_are_the_same_in_another_process(error: ChoreomonError) -> None:
    found = pickle.loads(pickle.dumps(error))
    assert (type(found), str(found), vars(found)) == (type(error), str(error), vars(error))


def test_every_kind_is_tried() -> None:
    kinds = {kind for kind in vars(errors).values() if isinstance(kind, type)}
    assert {kind for kind in kinds if issubclass(kind, ChoreomonError)} == {*map(type, MADE)}
