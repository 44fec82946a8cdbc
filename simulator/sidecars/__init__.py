"""Sidecars: how each strategy serves its monitors in a simulated world; `simulator.monitoring`
lists the strategies. What monitors decide is in `choreomon.monitor`."""
