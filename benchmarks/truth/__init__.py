"""`choreomon` proves itself: whatever it says of documents that are drawn by a seed, beside the
exact evaluation over all orders.

    make truth [TRUTH_ARGS="--documents 100 --live 2 --seconds 600"]
    python -m benchmarks.truth --family dense --seed 17 --documents 1 --live 0 [--show]

Documents are drawn (`documents`), simulated by every set of rules and every strategy that promises
something, run for real with agents, and the logs of these runs are audited (`audits`). Every event
of every run is a question, whether anything was said of it or not, and every word is held against
what docs/verdicts.md promises (`judging`). The page has what was asked, and everything that was
wrong, with the command that asks it again.
"""
