"""Sentences on verdicts and their reasons, and the choice of what to tell of a run. Their layout is
decided in `choreomon.terminal`, `choreomon.pictures` and `choreomon.pages`.
"""
