"""Metrics, pages and logs for operators. Counts are observations, and decide nothing."""
