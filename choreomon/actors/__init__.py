"""Actors and chance: what a scenario describes, as values, and what both the simulator and real
processes make of it.

application  processes, handlers and statements, as they are written
compilation  an application made ready to run
program      a handler as a program, and its one interpreter, `perform`
delays       how long things take: distributions, and samplers of them
randomness   named streams of one seed, and draws that are the same everywhere

Nothing here reads a clock, and nothing is drawn but from a stream that was passed in.
"""
