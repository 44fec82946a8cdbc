"""The vocabulary that all rooms share, standard library only.

message           messages, the events of sending and handling them, labels vector_clock      clocks
as tuples, and happened-before verdict           what monitors declare, and why decisive_reasons
which of very many reasons are told run               a finished run as a value monitor_log
what its monitors did, as values live              what a live agent says, as values recorded
what logs say happened, whatever their format contents          what is in logs, counted pairing
messages whose two ends do not match action            what logs and interactions speak of: `l!m`
and `l?m` errors            whose fault it is suggestion        known names similar to an unknown
one
"""
