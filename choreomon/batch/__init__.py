"""Many multi-traces verified against one interaction: with a budget for each of them, a bound on
memory, and the work shared by several processes. Files are read and clocks are looked at here, not
where verdicts are decided (`choreomon.verify`), and nothing here prints.

    from choreomon.batch.outcomes import outcomes
    from choreomon.batch.question import Question

    if __name__ == "__main__":
        question = Question(interaction="order.hif", budget=1.0)
        for outcome in outcomes(question, ["monday.htf", "tuesday.htf"], jobs=2):
            print(outcome.trace, outcome.conclusion)
"""
