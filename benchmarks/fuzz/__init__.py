"""What bad peers, services and scrapers can do to an agent: `python -m benchmarks.fuzz`.

mutants     rubbish, and mutants of what is right
premises    three processes, of which one is bad; the frames that it may send
agent       `choreomon agent`, which times what it takes
traffic     the good ones, which go on
rogue       the bad one: its sockets, one way to send for each
siege       all of them together, and what is looked at
report      what came out, as Markdown
guided      the decoders and the pure sidecar, led by coverage (atheris)
worst       the longest answers that a peer may give
"""
