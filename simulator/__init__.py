"""Applications and their monitors in virtual time.

    event_queue                  what happens when
    network                      channels between processes, with delays
    world                        a run of an application
    recording                    what is kept of a run's events
    linked_channels              what their messages take
    monitoring                   monitors beside the processes of a world, by strategy
    monitor_log                  what they do, told to who records it
    kept_messages                the messages between them, kept to show how an order is known
    measuring, formations        what is measured; where the property was really formed
    observation                  what logs show of a run
    run                          a document and a seed -> a run
    generation                   applications with forbidden sequences, drawn at random
    experiments                  the paper's experiments over such applications

What actors are, how long things take and where chance comes from is in `choreomon.actors`.
Nothing here reads a clock or draws from anything but the streams of the run's seed: one
seed gives one run, bit for bit, on every machine with IEEE 754 double precision.
"""
