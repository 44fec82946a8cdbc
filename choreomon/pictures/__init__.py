"""Values -> pictures: of runs in `space_time`, of interactions, of graphs, and some `as_text`.
Nothing here opens a file.
"""
