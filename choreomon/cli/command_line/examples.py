"""The examples with which the help of a command ends: `epilog=examples(..)`.

Each is a line that can be typed as it stands, and what it does. `tests/cli/test_examples.py` reads
them from the help, says what files they may name, and runs those that can be run there.
"""

from __future__ import annotations


def examples(*shown: tuple[str, str]) -> str:
    """The epilog of a command's help. Of each pair the first is the whole line, from `choreomon`
    on, the second a sentence about it. Lines are not wrapped: 74 characters are the most."""
    lines = ["\b", "Examples:"]
    for line, does in shown:
        lines += [f"  {line}", f"      {does}"]
    return "\n".join(lines)
