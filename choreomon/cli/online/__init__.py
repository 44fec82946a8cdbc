"""Commands about live agents: split, keygen, agent, watch. They parse, call `choreomon.runtime` and
print.
"""
