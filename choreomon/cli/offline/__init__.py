"""Commands about logs: audit, verify, join, mutate, slice, and checks by automata. What they find
is decided in `choreomon.audit`, `choreomon.verify` and `choreomon.batch`.
"""
