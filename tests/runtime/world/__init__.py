"""A world of live agents in memory: real drivers, sidecars and sessions, with everything around
them made up - disks, networks, connections, time - and chosen by one source of randomness.

    disk         journals that survive crashes, and lose what was not committed
    connections  byte streams between services and their agents, with the loop they run on
    agents       a driver and its service side on such a disk
    services     scripts that send and handle messages through a session
    world        all of them, the frames between agents, and what may happen next
    playing      a run: random moves, then healing
    drawn        what a run is made of, drawn
    truth        what really happened, and the laws

An agent dies at any commit, before or after it, and at any frame that it sends; what it had not
committed by then is lost, and so is what it held back. Nothing sleeps and nothing is ever
really concurrent, so that one seed is one run.
"""
