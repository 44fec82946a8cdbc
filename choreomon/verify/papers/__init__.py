"""The papers' analyses as one search over vertices, with interchangeable rules.

Start with `engine.search`; `options` says what can be asked, `rules` what the modes are.
"""
