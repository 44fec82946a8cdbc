"""Logs in the formats that people have -> what they say happened (`choreomon.core.recorded`).

reading           any of them: `read_recorded`
detection         which one a log is of, by its beginning
lines             lines and bytes of a log, and how long they may be
own_events        our own event logs
json_lines        lines of JSON with any field names
shiviz            what a regular expression parses: ShiViz, GoVector, TSViz
otlp              spans of OpenTelemetry
spans             one of them, whichever way it is written
span_relations    what they have to do with each other
span_order        in which order their events come out
json_values       values of JSON, a line each or spread over lines
detecter          detectEr's events
multi_traces      events -> multi-traces
run_events        events -> those of a run, to be drawn
clocks            vector clocks as they are written
mapping           records -> events
mapping_document  the document that says how, read
mapping_shape     its shape
expressions       what gives a value of a record
field_path        where in a record a value is
user_patterns     regular expressions of users, stopped where they would not end

`json-lines.yaml` and `opentelemetry.yaml` are mappings that are used where none is given.
"""
