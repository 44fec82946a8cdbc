"""Multi-traces against interactions: the questions, the searches that answer them, and why an
answer is what it is. Nothing here reads a file or looks at a clock: `choreomon.batch` does both.
"""
