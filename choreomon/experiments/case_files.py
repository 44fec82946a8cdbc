"""Data sets of multi-traces with known answers: one JSON object per line, compressed or not.

    {"name": "i0", "hif": "...", "cases": [
        {"kind": "ACPT", "trace": "trace1", "htf": "...", "accept": 0, "prefix": 1}]}

A line is one interaction with its multi-traces: `hif` and `htf` are the texts of HIBOU's files,
`accept` says whether the multi-trace is accepted, `prefix` whether it is a multi-prefix.
"""

from __future__ import annotations

import lzma
import os
from io import BytesIO
from typing import Annotated, Final

import msgspec

from choreomon.core.errors import DocumentError, Problem
from choreomon.experiments.offline.cases import KINDS, Case, Kind, Subject
from choreomon.files.input_files import WHOLE, PathLike, limit, too_large, whole
from choreomon.files.json_shapes import placed_problem
from choreomon.hibou.model import read_interaction
from choreomon.hibou.multitrace import MultiTraceReader
from choreomon.hibou.signature import Signature
from choreomon.interaction.lifelines import names

_Bit = Annotated[int, msgspec.Meta(ge=0, le=1)]


_KINDS: Final = f"{', '.join(KINDS[:-1])} or {KINDS[-1]}"


class _Case(msgspec.Struct, forbid_unknown_fields=True):
    kind: Kind
    trace: str
    htf: str
    accept: _Bit
    prefix: _Bit


class _Subject(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    hif: str
    cases: list[_Case]


def subjects_of(path: PathLike) -> list[tuple[int, bytes]]:
    """`subject_lines` of a file. Raises DocumentError, also for one that cannot be read."""
    return subject_lines(whole(path, WHOLE), os.fspath(path))


def subject_lines(content: bytes, file: str) -> list[tuple[int, bytes]]:
    """The lines of a data set with their numbers, without empty ones.

    `content` may be compressed as `.xz`. Raises DocumentError if it cannot be unpacked, or holds
    nothing.
    """
    if content.startswith(b"\xfd7zXZ"):
        try:
            content = _unpacked(content, file)
        except (lzma.LZMAError, EOFError) as error:
            raise DocumentError((Problem(file, 0, "", f"cannot be unpacked: {error}"),)) from None
    lines = [(number, line) for number, line in enumerate(content.splitlines(), 1) if line.strip()]
    if not lines:
        raise DocumentError((Problem(file, 0, "", "holds no interaction: a line each"),))
    return lines


def _unpacked(content: bytes, file: str) -> bytes:
    """Unpack at most as many bytes as a file may have: packed data may be a thousand times as
    large."""
    most = limit(WHOLE)
    with lzma.open(BytesIO(content)) as stream:
        found = stream.read(most + 1)
    if len(found) > most:
        raise too_large(file, most)
    return found


def read_subject(line: bytes, number: int, signature: Signature | None, file: str) -> Subject:
    """The interaction and the cases of one line.

    Raises DocumentError, with the line, if anything is not as it should be, or if the answers
    contradict each other.
    """
    try:
        stated = msgspec.json.decode(line, type=_Subject)
    except msgspec.DecodeError as error:
        raise DocumentError((Problem(file, number, *placed_problem(str(error), _KINDS)),)) from None
    interaction = read_interaction(stated.hif, signature, f"{file}:{number}: hif")
    reader = MultiTraceReader(names(interaction.lifelines), signature)
    cases: list[Case] = []
    for case in stated.cases:
        if case.accept and not case.prefix:
            wrong = "what is accepted is a multi-prefix too"
            raise DocumentError((Problem(file, number, case.trace, wrong),))
        multitrace = reader.read(case.htf, f"{file}:{number}: {case.trace}")
        if not multitrace.is_discrete:
            wrong = "the experiment needs a component for every lifeline"
            raise DocumentError((Problem(file, number, case.trace, wrong),))
        cases.append(Case(case.kind, case.trace, multitrace, bool(case.accept), bool(case.prefix)))
    return Subject(stated.name, interaction, tuple(cases))
