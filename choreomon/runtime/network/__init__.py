"""Sockets to other agents, who may be there, and what each may cost. What is said there is in
`choreomon.agent_files.wire`.
"""
