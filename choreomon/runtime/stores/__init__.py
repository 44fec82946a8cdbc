"""Stores of an agent's journal, and which one a configuration names. What is written and when is
the driver's.
"""
