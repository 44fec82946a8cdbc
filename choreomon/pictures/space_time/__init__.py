"""Space-time diagrams of runs and logs: lanes, messages, verdicts, and what is left out. Sequence
diagrams of interactions are in `choreomon.pictures.interactions`.
"""
