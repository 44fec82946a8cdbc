"""Scenarios for real: each actor is a process of the operating system with its monitor beside it or
within it, messages travel over sockets, and delays are those of the document. What an actor is, is
in `choreomon.actors`, the agents are those of `choreomon.runtime`, and virtual time is in
`simulator`.
"""
