"""Properties: what must not happen, and what that means.

automaton        sequence automata, validated (Definition 4)
classification   which transitions are forward
formula          the formulas of self-loops
sequences        the shorthand: sequences of messages and what cancels them
relations        pre-transitions and vio-transitions (Definitions 5 and 6)
tables           what each monitor knows (Definition 7)
alike            which transitions of two properties fire at the same events
reference        the meaning over a total order of events: slow and obvious
linear           the same in one pass, for runs of any length
formed           where a finished run formed its property, and by which events
partial_order    the meaning over a partial order, by search over consistent cuts
parts            parts that have no state in common, and can be evaluated by themselves
"""
