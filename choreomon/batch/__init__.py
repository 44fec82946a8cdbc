"""Many multi-traces verified against one interaction: with a budget for each of them, a bound on
memory, and the work shared by several processes.

    from choreomon.batch.outcomes import outcomes
    from choreomon.batch.question import Question

    if __name__ == "__main__":
        question = Question(interaction="order.hif", budget=1.0)
        for outcome in outcomes(question, ["monday.htf", "tuesday.htf"], jobs=2):
            print(outcome.trace, outcome.conclusion)

Here files are read and clocks are looked at; `choreomon.verify.verifier`, which decides, does
neither. Nothing here prints.

    question     what is asked about all of them
    outcomes     the answers, in the order of what was asked about
    judge        one answer after the other, in one process
    explaining   explanations, within bounds
    bounds       time and memory that may be used
    workers      processes that share work, and end with whoever started them
    ray_cluster  the same on the machines of a Ray cluster
    interrupts   interrupts that wait until no lock can be left held
    sessions     many sessions in one file
    collector    the cycle collector, out of the way while verdicts are made
"""
