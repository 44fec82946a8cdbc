"""Every byte that comes in or goes out: documents, traces, results, wire messages.

Pydantic lives here and nowhere deeper; what leaves this package are values of the inner
ones. Bad input of any kind leaves it as `choreomon.core.errors.DocumentError` alone.

    read        a scenario or property document -> Document
    located     YAML or JSON text -> plain values with the line of each
    documents   the shape of a document (the published JSON Schema is made from it)
    validation  what the shape cannot say
    labels      `[handle] SENDER -> RECEIVER : NAME`
    trace       an event <-> one line of a trace
    results     runs -> the JSON of `choreomon simulate --json`
"""
