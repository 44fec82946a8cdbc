"""What operators look at: metrics, pages, logs. What is counted there is observed, and decides
nothing.
"""
