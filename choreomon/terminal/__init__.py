"""Values -> tables and lines for a screen. Colours and widths of a real one are looked up in
`choreomon.cli.command_line`.
"""
