"""Graphs of searches and automata. The searches themselves are in `choreomon.verify`."""
