"""Interactions by the path of their file, be it a document that states one."""

from __future__ import annotations

import os
from pathlib import PurePath
from typing import Final

from choreomon.core.errors import DocumentError, Problem
from choreomon.files.input_files import PathLike
from choreomon.hibou.signature import Signature
from choreomon.interaction.term import Interaction, subterms
from choreomon.interaction_files import loading

_DOCUMENTS: Final = (".yaml", ".yml")


def load_interaction(path: PathLike, signature: Signature | None = None) -> Interaction:
    """The interaction in a file, or the one that a document (`.yaml`) states; with a `signature`,
    names that it does not declare are refused.

    Raises DocumentError, also for a file that cannot be read.
    """
    if PurePath(os.fspath(path)).suffix.lower() in _DOCUMENTS:
        return load_stated_interaction(path, signature)
    return loading.load_interaction(path, signature)


def load_stated_interaction(path: PathLike, signature: Signature | None = None) -> Interaction:
    """The interaction that a document states, YAML or JSON; otherwise as `load_interaction`."""
    from choreomon.documents.read import load_document

    file = os.fspath(path)
    stated = load_document(file).interaction
    if stated is None:
        raise DocumentError((Problem(file, 0, "interaction", "is missing: there is none here"),))
    if signature is not None:
        for part in subterms(stated.interaction):
            if part.action is not None and (strange := signature.strange(part.action)):
                raise DocumentError((Problem(file, 0, "interaction", strange),))
    return stated.interaction
