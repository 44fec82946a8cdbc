"""The vocabulary that all rooms share, as values: messages, events, clocks, verdicts, finished
runs, what logs say happened, errors. It needs nothing but the standard library, and reads and
writes nothing: bytes and words have rooms of their own.
"""
