"""The experiments of the papers: `monitoring` on simulated applications, `offline` on interactions
and logs, and their `results` as tables, plots and a page. Only commands call them.
"""
