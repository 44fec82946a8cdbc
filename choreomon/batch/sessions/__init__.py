"""Sessions in bulk: read, put together, decided many at a time, and written down, within bounded
memory, by one process or by several. How a file of sessions looks is in `choreomon.sessions`, and
verdicts are decided in `choreomon.verify`.
"""
