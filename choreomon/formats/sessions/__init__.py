"""Sessions in bulk: many multi-traces in one file, or in the files of a folder.

Rows are actions, or whole sessions; docs/sessions.md says what may be in them. Readers give blocks
of runs, in the order of the rows; what is wrong with a row is said of its session alone. Bad input
leaves this package as `choreomon.core.errors.DocumentError`, or as a problem in a block.

    blocks       runs of rows of one session, as columns of numbers
    source       which files, and who reads them
    json_lines   JSON lines
    parquet      Parquet
    temporary    blocks that are put aside
    results      what was found, as JSON lines or Parquet, in pieces that outlive an interruption

Needs numpy and pyarrow (the extra `batch`), but for `source`.
"""
