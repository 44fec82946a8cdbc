"""Verdicts on their way to files, webhooks and functions, each at least once. What a verdict says
is decided before.
"""
