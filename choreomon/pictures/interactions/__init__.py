"""Sequence diagrams and trees of interactions, with witnesses and failures. The graphs of searches
through them are in `choreomon.pictures.graphs`.
"""
