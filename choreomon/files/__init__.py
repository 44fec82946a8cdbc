"""Any file: opened and read up to a limit, YAML and JSON as values with the line of each, written
as a whole or not at all. What the values mean is decided in the rooms of each kind of file.
"""
