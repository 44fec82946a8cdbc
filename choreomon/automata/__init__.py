"""Protocols as finite automata: compiled once, composed, and used to decide whether logs without a
common clock are explained, by each procedure beside a slow definition. Automata of forbidden
sequences are something else, in `choreomon.properties`.
"""
