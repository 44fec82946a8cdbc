"""Protocols as finite automata: what may happen, compiled once.

automaton        nondeterministic automata over actions, and sets of states as bits
"""
