"""Recorded logs -> `choreomon.core.recorded` values, whatever their format.

lines       lines of files of any length, also of files that still grow
own_events  our own event logs, one JSON object a line
"""
