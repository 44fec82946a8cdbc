"""Multi-traces: local traces of groups of lifelines that share a clock, with what is done to them,
such as slices and mutants. What decides about them is in `choreomon.verify`, and files with them
are read in `choreomon.logs` and `choreomon.hibou`.
"""
