"""`python -m choreomon`, and the console script."""

from __future__ import annotations

import signal


def main() -> None:
    """Runs the command line; an interrupt while that is imported ends the process without a
    word. What comes before, while Python itself starts, is not ours."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from choreomon.cli import main as command_line

    command_line()


if __name__ == "__main__":
    main()
