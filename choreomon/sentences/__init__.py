"""Verdicts and their reasons in words, and what of a run is told. How the words are laid out is
decided in `choreomon.terminal`, `choreomon.pictures` and `choreomon.pages`.
"""
