"""Commands about any document: init, example, check, draw, export, schema. They say or draw what is
in it and run nothing.
"""
