"""What should happen: sequence diagrams as terms, their meaning step by step, and forms that mean
the same. Diagrams in files are in `choreomon.diagrams` and `choreomon.hibou`, and logs are compared
with interactions in `choreomon.verify`.
"""
