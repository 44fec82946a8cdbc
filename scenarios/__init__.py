"""Scenarios, and the interactions that they state: what `choreomon example` writes."""
