"""Graphs of searches and automata. What was searched, and why, is decided in `choreomon.verify`."""
