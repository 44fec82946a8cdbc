"""Multi-traces: local traces of groups of lifelines that share a clock."""
