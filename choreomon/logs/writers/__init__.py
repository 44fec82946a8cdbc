"""Runs and recorded logs for the tools of others: ShiViz, OpenTelemetry, lines of JSON. Diagrams
are drawn in `choreomon.pictures`.
"""
