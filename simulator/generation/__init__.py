"""Applications of any size with forbidden sequences, drawn at random: the test case generator of
the paper, section 6.1.

    parameters   what is asked for, and whether there is room for it
    draws        picks and orders that are the same on every machine
    activities   which handlers send to which: chains, and single messages
    schedule     when the environment starts them, and when what they do happens
    branching    which handlers send only if a variable says so
    sequences    the forbidden sequences, and what cancels them
    scenario     parameters and a seed -> a scenario

Our own choices are marked "The paper leaves open" where they are made; docs/generate.md lists them.
"""
