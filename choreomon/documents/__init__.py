"""Scenarios and properties as people write them: their shape, what is checked, and the values that
it becomes. Other files that a document names, such as interactions, are read in rooms of their own.
"""
