"""Interactions, which say what should happen (sequence diagrams as terms), and their semantics."""
