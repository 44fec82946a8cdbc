"""One monitor of a property as a state machine, `step(state, clock, input) -> (state, clock,
effects)`, with its sets of rules and its strategies: pull, push, central. It opens no socket, file
or timer: what it asks for is done by the agents of `choreomon.runtime` and by `simulator`.
"""
