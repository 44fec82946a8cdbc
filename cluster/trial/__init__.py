"""`make cluster-test`: the cluster, started under a name of its own, looked at, broken and removed.

containers  docker and docker-compose
looking     what services and agents say
rubbish     what is thrown at sockets, from within a container
counting    how many events an agent has, asked from within its container
rollouts    another property for agents that run
course      the trial: what is done, and what must be true then
"""
