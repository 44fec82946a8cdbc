"""`python -m choreomon`."""

from choreomon.cli import main

main()
