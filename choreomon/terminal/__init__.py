"""Tables and lines of values for a screen. Colours and widths of a real one are found in
`choreomon.cli.command_line`.
"""
