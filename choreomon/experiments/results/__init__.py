"""What experiments found, as tables, plots and a page. What is measured is decided in
`choreomon.experiments.monitoring` and `choreomon.experiments.offline`.
"""
