"""HIBOU's formats `.hif`, `.hsf`, `.htf` and `.hcf` as texts -> values, and back. Which file is in
which format is known in `choreomon.interaction_files`.
"""
