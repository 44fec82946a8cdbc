"""What every picture is made of: shapes, their layout, charts, and their SVG and PNG. What is drawn
is not known here.
"""
