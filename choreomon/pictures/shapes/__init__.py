"""The material of every picture: shapes, their layout, charts, and their SVG and PNG. Nothing here
knows runs or interactions.
"""
