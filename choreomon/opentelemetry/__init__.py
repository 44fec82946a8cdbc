"""Services that have OpenTelemetry's instrumentations tell their agents by these, without a line of
code of their own. What a message is called and to whom it goes is said by a mapping
(`choreomon.logs.mappings`); what travels and what an agent is told are those of `choreomon.sdk`.

    hook            what `opentelemetry-instrument` calls before it instruments
    propagator      where messages leave, and what came with them
    provider        what is added to the tracer provider: a processor and a sampler
    installed       the one that tells
    telling         the service's agent, connected when it is first needed
    records         spans, carriers and contexts as the records of a mapping
    attempts        redirects and retries, which are messages of their own
    settings        what the environment says
    strange         what could not be told, counted
"""
