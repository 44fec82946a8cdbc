"""Scenarios for real: every actor a process of the operating system, with its monitor beside it or
within it, messages over sockets, delays as the document says.

What happens in which process:

    run                  runs of a scenario, from a seed to a `Run`
    coordinator          the course of it: who is started when, and who waits for whom
    network_process      one process: all that is on its way, and the environment
    actor_process        one process an actor: performs its handlers
    agent_process        one process an actor: its agent, where the monitor is not within

What is on its way:

    links                when what is sent arrives: the document's delays, the seed's draws
    delay_queue          what happens when, on an event loop
    precise_loop         an event loop whose timers are as fine as the clock
    application_network  messages between actors; knows when all were handled
    application_frames   those messages, as bytes
    monitoring_network   messages between monitors

Processes and files:

    run_directory        the folder of one run, with keys and tables
    fork_server          a process that forks the others, and sees to it that none is left
    process_group        the processes of one run, from start to end
    child                one of them, from its own side
    instructions         what it is told and what it tells

What comes of it:

    observation          what a monitor says and costs
    event_records        what actors and monitors note of events, and one log of it
    run_verdicts         live verdicts -> verdicts of a run, by the indices of events
"""
