"""Files of any kind: opened and read up to a limit, YAML and JSON as values with the line of each,
written as a whole or not at all. The rooms of each kind of file decide what the values mean.
"""
