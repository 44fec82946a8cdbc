"""Actors and chance: what a scenario describes, as values, and what both the simulator and real
processes make of it. Nothing here reads a clock, and nothing is drawn but from a stream that was
passed in.
"""
