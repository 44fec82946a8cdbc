"""Multi-traces against interactions: the questions, the searches that answer them, and why."""
