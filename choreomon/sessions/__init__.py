"""Many multi-traces in one file of JSON lines or Parquet, and the file of what was found of them.
They are judged in `choreomon.batch`.
"""
