"""HIBOU's formats as texts -> values: `.hif`, `.hsf`, `.htf` and `.hcf`; the first three also back.
Which file is in which format is known in `choreomon.interaction_files`.
"""
