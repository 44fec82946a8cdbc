"""Replicas, agents, leases and stores in memory, with the sidecar that agents run. What is said of
events is compared with the run as it was committed.
"""
