"""Files of many multi-traces, as JSON lines or Parquet, and files of their results. They are judged
in `choreomon.batch`.
"""
