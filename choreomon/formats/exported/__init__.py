"""Runs, and what logs recorded, for the tools of others.

Diagrams of runs, and of interactions, are written by `choreomon.render`.

    recorded_run  a run as what is exported; from a trace and results of `--json`, too
    shiviz        a ShiViz log
    otlp          spans of OpenTelemetry, as OTLP JSON
    json_lines    what logs recorded, as lines of JSON
    made_clocks   vector clocks of what logs recorded without any
"""
