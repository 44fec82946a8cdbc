"""Logs of every format -> recorded events, one reader each, found by looking. What the fields of a
log mean is said in `choreomon.logs.mappings`.
"""
