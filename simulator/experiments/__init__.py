"""The experiments of the paper, section 6.2, with baselines: pure functions of their parameters.

    cells       one run with its parameters -> a row of measurements
    grids       which cells an experiment has
    overhead    what monitors remember, wait for and ask in vain, seen while they run
    avoidable   which possible verdicts need not have been, by the exact evaluation
    summaries   rows -> means and shares, by parameters
    fits        whether a series is constant, grows linearly, or is bent
    wording     numbers in sentences
    claims      what the paper says, what was measured, and why they differ

The paper is `b887...`, "RQ1" to "RQ4" are its research questions. docs/experiments.md has the
definitions of all columns.
"""
