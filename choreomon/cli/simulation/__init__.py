"""Commands that run applications with monitors: simulate, run, generate. Virtual time is in
`simulator`, real processes in `choreomon.deployment`.
"""
