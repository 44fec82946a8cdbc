"""What is imported with something, in an interpreter of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]


def imported_by(statements: str, modules: Iterable[str]) -> set[str]:
    """Which of these modules are there after the statements, each of which stands on a line."""
    program = f"import sys\n{statements}\nprint(*({{*{[*modules]!r}}} & {{*sys.modules}}))"
    said = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    return {*said.stdout.split()}
