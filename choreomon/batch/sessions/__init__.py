"""Sessions in bulk: read, put together, decided many at a time, and written down, within bounded
memory.

    question   what is asked about all of them
    gathering  whole sessions from runs, whether they stand together or not
    chunk      sessions that are judged together
    logs       their logs, put side by side
    judge      what becomes of each of them
    judging    all of them, by one process or by several
"""
