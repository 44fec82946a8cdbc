"""Interactions, multi-traces, automata, verifiers and options of analyses, in whatever file they
come. The formats of HIBOU and of diagrams have rooms of their own.
"""
