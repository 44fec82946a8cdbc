"""Audits of the sessions of logs, in bulk: first logs are split by session into files, piece by
piece, then sessions are audited, some files at a time; both by one process or by several.

    question   what is asked about every session
    pieces     which pieces of logs are read by themselves
    aside      events that are put aside in files, by session
    splitting  a piece of a log -> events put aside, and what numbers it has
    judging    events put aside -> what became of their sessions
    audits     all of it
"""
