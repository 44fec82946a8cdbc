"""Exact verdicts of recorded logs about a property: what the logs say of the order of events, all
orders that agree with it, and what gaps may hide. Files are read in `choreomon.logs`, and many
sessions are shared between processes in `choreomon.batch.audits`.
"""
