"""Applications and their monitors in virtual time: one seed gives one run, bit for bit, on every
machine with IEEE 754 double precision. What actors are, how long things take and where chance comes
from is in `choreomon.actors`, and nothing here reads a clock or draws but from the seed's streams.
"""
