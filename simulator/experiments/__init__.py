"""The experiments of the paper, section 6.2, with baselines: pure functions of their parameters.

    cells         one run with its parameters -> a row of measurements
    grids         which cells an experiment has
    overhead      what monitors remember, wait for and ask in vain, seen while they run
    avoidable     which possible verdicts need not have been, by the exact evaluation
    records       rows as lines of text, and back
    summaries     rows -> means and shares, by parameters
    fits          whether a series is constant, grows linearly, or is bent
    claims        what the paper says beside what was measured
    scalability   ... of RQ1, Fig. 7
    cost          ... of RQ2 and RQ3, Fig. 8
    conservatism  ... of RQ4
    findings      all that came of an experiment
    tables        the same in tables
    wording       numbers in sentences

docs/experiments.md has the definitions of all that is measured.
"""
