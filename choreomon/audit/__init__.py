"""Exact verdicts of recorded logs about a property.

auditor    events in, verdicts out, while the logs are read
sessions   many audits, one for each session, while logs grow
numbers    which numbers of events are missing, where several sessions share them
kinds      which verdicts one explanation explains
summary    what many sessions come to
reading    several logs side by side
in_order   logs whose lines are nearly in order
causality  what happened before what, from what the logs say and nothing else
labelling  what the property mentions of them
messages   which send a reception belongs to
process    one process as its log was read so far, and what it waits for
gaps       where events may be missing, in words
items      what of a log matters to a property: labelled events, and gaps
units      what of a property can be audited by itself
window     one unit: decided piece by piece, and forgotten
search     all orders that agree with a piece, and all that its gaps may hide
look_ups   what the rules `sound` are sure of, without a search
outcome    what it comes to
occurrences  what happened how often, and labels that occur nowhere
oracle     brute force, for tests
"""
