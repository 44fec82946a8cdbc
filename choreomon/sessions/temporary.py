"""Blocks put aside in a file, and read back from it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from choreomon.sessions.blocks import NO_CLOCK, Block, Lengths

_SCHEMA: Final = pa.schema(
    {
        "session": pa.string(),
        "problem": pa.string(),
        "actions": pa.list_(pa.int32()),
        "clocks": pa.list_(pa.int64()),
    }
)


class Aside:
    """A file of blocks that is written, then read once. `rows` counts the runs and actions in
    it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writer: Any = None
        self._clocked = False
        self.rows = 0

    def add(self, block: Block) -> None:
        """Appends a block."""
        if self._writer is None:
            self._writer = pa.ipc.new_stream(str(self._path), _SCHEMA)
        offsets = np.concatenate((np.zeros(1, np.int32), block.lengths.cumsum().astype(np.int32)))
        clocks = block.clocks
        self._clocked = self._clocked or clocks is not None
        if clocks is None:
            clocks = np.full(len(block.actions), NO_CLOCK, np.int64)
        problems = [block.problems.get(run) for run in range(len(block.names))]
        arrays = [
            pa.array(block.names, pa.string()),
            pa.array(problems, pa.string()),
            pa.ListArray.from_arrays(offsets, block.actions),
            pa.ListArray.from_arrays(offsets, clocks),
        ]
        self._writer.write_batch(pa.record_batch(arrays, schema=_SCHEMA))
        self.rows += len(block.names) + len(block.actions)

    def close(self) -> None:
        """End writing."""
        if self._writer is not None:
            self._writer.close()

    def blocks(self) -> Iterator[Block]:
        """Yields the blocks added, in order; the file is gone then."""
        if self._writer is None:
            return
        with pa.ipc.open_stream(str(self._path)) as stream:
            for batch in stream:
                session, problem, actions, clocks = batch.columns
                lengths: Lengths = np.diff(actions.offsets.to_numpy()).astype(np.int64)
                told = problem.to_pylist() if problem.null_count < len(problem) else ()
                yield Block(
                    session.to_pylist(),
                    lengths,
                    actions.flatten().to_numpy().copy(),
                    clocks.flatten().to_numpy().copy() if self._clocked else None,
                    {run: text for run, text in enumerate(told) if text is not None},
                )
        self._path.unlink()
