"""What must not happen: sequence automata, their checks, their meaning over runs, and the tables
that tell each monitor what it has to know. How documents write them is in `choreomon.documents`,
and who watches them in `choreomon.monitor`.
"""
