"""Applications of any size with forbidden sequences, drawn at random: the test case generator of
the paper, section 6.1. Our own choices are marked "The paper leaves open" where they are made, and
docs/generate.md lists them.
"""
