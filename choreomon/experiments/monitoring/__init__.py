"""Experiments on monitors beside generated applications (the paper, RQ1 to RQ4), as grids of cells
with fits and claims. They show nothing; that is done in `choreomon.experiments.results`.
"""
