"""Leases and journals of slots in PostgreSQL, in one transaction, so that a slot can move to
another machine. Their rules are those of `choreomon.runtime.leases`.
"""
