"""One monitor as a state machine: `step(state, clock, input) -> (state, clock, effects)`.

pull              the monitor of the paper, Algorithms 1 to 3
setup             what a monitor is made of and never changes
state             what it remembers, and what it is stepped with
effects           what a step asks its driver to do
messages          what monitors send to each other
host              the monitor with the clock of its process: what simulators and agents drive
rights            what another monitor may send, and what is refused
answering         when to answer an inquiry, and with what
inspection        what becomes of an inspection when answers arrive
plan              how an event is inspected: whom it asks for what
rules             what a set of rules decides
record_by_record  the rules `sound`, and `paper` to the letter
precise           the rules `precise`: records with evidence, and a second inquiry
evidence          what is known about an event by these
what_matters      what of it matters to the event
consistent_cuts   what fired, over all orders that this allows
rule_sets         the sets of rules by their names
history           what fired when, and what of it to keep
gaps              stretches of which the monitor is not told, and what they count as
opening           what a monitor begins with that follows another one
gap_bounds        where gaps begin and end, and the verdict at their end
provisional       the verdict at a deadline, while answers are missing
giving_up         the last verdict without them
wait_for_graph    who waits for whom, so that the one that is dead can be named
retransmission    inquiries that are sent again
joint             the joint verdict about an event that labels several final transitions
push              the strategy push: tell the readers, and judge anew what they tell
central           the strategy central: one monitor that is told of every labelled event
reevaluation      evaluation again and again: what push and central share
"""
