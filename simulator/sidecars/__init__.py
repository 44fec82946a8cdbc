"""How each strategy serves its monitors in a simulated world; which there are is in
`simulator.monitoring`. What monitors decide is in `choreomon.monitor`."""
