"""Pictures of values: runs in `space_time`, `interactions`, `graphs`, and some `as_text`. Nothing
here opens a file.
"""
