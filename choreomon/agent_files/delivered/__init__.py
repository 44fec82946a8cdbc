"""What leaves an agent with its verdicts: the sinks that a configuration names, CloudEvents, and
the headers and signatures of webhooks. Verdicts themselves as bytes are in
`choreomon.agent_files.verdict_json`, and who posts them is in `choreomon.runtime.delivery`.
"""
