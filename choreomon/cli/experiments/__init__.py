"""Commands that repeat the experiments of the papers. The experiments are in
`choreomon.experiments`.
"""
