"""Experiments on interactions, multi-traces and automata, on published or fresh data. They show
nothing; that is done in `choreomon.experiments.results`.
"""
