"""Leases of slots: who may commit to the store of a slot, and until when others may count on it.
The rules are values (`rules`, `holding`, `moving`); the ends that keep leases and stores do what is
in `ends`. See docs/adr/037-roles.md, "Leases".
"""
