"""Deciders for many multi-traces of one interaction: what was worked out for one is kept for the
next. `choreomon.verify.verifier` chooses between them and the searches."""
