"""The papers' analyses as one search over vertices, with interchangeable rules.

Start with `engine.search`; `options` says how a search goes, `rules` what the modes are.
"""
