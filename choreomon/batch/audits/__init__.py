"""Audits of the sessions of logs in bulk: logs are split by session into files, piece by piece,
then sessions are audited, some files at a time, by one process or by several. What a verdict is, is
decided in `choreomon.audit`.
"""
