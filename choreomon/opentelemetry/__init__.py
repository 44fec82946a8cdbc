"""Services that have OpenTelemetry's instrumentations tell their agents by these, without a line of
code of their own. What a message is called and to whom it goes is said by a mapping
(`choreomon.logs.mappings`); what travels and what an agent is told are those of `choreomon.sdk`.
"""
