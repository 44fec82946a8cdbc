"""Protocols as finite automata: what may happen, compiled once.

automaton        nondeterministic automata over actions, and sets of states as bits
emptiness        which states are of use, and a shortest word
determinization  the subset construction
minimization     the smallest deterministic automaton
product          two automata side by side, together on common letters
membership       whether logs are explained, layer by layer
witness          why they are, or how far they can be
reference        membership by definition: slow, and obvious
words            all accepted words up to a length: slow, and obvious
"""
