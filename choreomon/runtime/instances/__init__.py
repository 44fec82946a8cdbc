"""The instances of properties for each, as an agent keeps them: those of which nothing goes on as
rows of its store, from which each is read when something happens to it. What is decided of them is
in `choreomon.monitor.of_instances`.
"""
