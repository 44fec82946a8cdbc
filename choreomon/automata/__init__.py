"""Protocols as finite automata: what may happen, compiled once.

automaton        nondeterministic automata over actions, and sets of states as bits
emptiness        which states are of use, and a shortest word
determinization  the subset construction
minimization     the smallest deterministic automaton
product          two automata side by side, together on common letters
logs             logs without a common clock, and what they may lack
centralized      the centralized procedure, to the letter
local_view       an automaton as one location sees it
local_verifier   the same, complete, for a machine that knows nothing else
semi_centralized local verifiers, areas, and the central check, to the letter
commutation      where two letters may change places
two_logs         bounds by the places of two logs
reduced          the centralized procedure, with bounds by position and persistent sets
situations       what may happen at a cut of logs, made when it is first met
many_logs        whether logs are explained, thousands of multi-traces at a time
stepping         global traces, followed through what is made meanwhile
witness          why they are, or how far they can be
reference        membership by definition: slow, and obvious
accepted_words   random accepted words, and random locations for letters
words            all accepted words up to a length: slow, and obvious
"""
