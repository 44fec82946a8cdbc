"""Faults with real operating-system processes: agents and services that are killed, stopped, cut
off, or whose disks are full, and what their monitors said of it.

    python -m benchmarks.faults [--schedules 20] [--seed 0] [--instances] [FAULT ...]

A *schedule* is one run of a random property of three or four processes (`plan`), with
`--instances` of one for each order, or each order of a tenant. Beside each service (`service`),
which sends and handles messages over Unix streams, stands its agent, a process of its own. While
messages flow something is broken (`schedules`), and healed again. When all is quiet the run is
judged (`judging`) by what every process left behind.

What happened is taken from the agents' journals, every row of which is kept with the time of its
commit by a trigger in the database (`committed`): the commit is the event, so none is missing and
none is made up. The trace that agents write may lack what was killed between a commit and its line;
it is held against the journal.
"""
