"""Mapping documents: which lines, fields and spans of a log are messages, and of whom. Reading the
log itself is left to `choreomon.logs.readers`.
"""
