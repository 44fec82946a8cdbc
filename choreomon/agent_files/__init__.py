"""Bytes of agents: what they are given (configuration, tables, keys), and what they say (frames,
verdicts, status). Sockets and disks are in `choreomon.runtime`."""
