"""Results of experiments, as tables, plots and a page. The measurements themselves are made in
`choreomon.experiments.monitoring` and `choreomon.experiments.offline`.
"""
