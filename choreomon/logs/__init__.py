"""Events of a run, as lines: our own traces here, other people's logs in `readers` by `mappings`,
and both for the tools of others in `writers`. What follows from a log is decided by
`choreomon.audit` and `choreomon.verify`."""
