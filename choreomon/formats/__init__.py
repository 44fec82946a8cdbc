"""Every byte that comes in or goes out: documents, traces, results, wire messages.

Pydantic lives here and nowhere deeper; what leaves this package are values of the inner
ones. Bad input of any kind leaves it as `choreomon.core.errors.DocumentError` alone.

Documents:

    read                a scenario or property document -> Document
    offline_kind        what a file is about
    input_files         opening and reading files, each up to a limit
    unreadable          what is told of a file that cannot be opened
    whole_file          files that are written as a whole or not at all
    source_positions    YAML or JSON text -> plain values with the line of each
    scalars             what a scalar in it means
    yaml_hints          what is wrong with a text that is no YAML
    documents, fields   the shape of a document, and of what it is made
    durations           distributions of times in a document
    schema              the JSON Schema that is made from the shape
    validation          what the shape cannot say
    reachability        which handlers of an application can ever run
    labels              `[handle] SENDER -> RECEIVER : NAME`
    label_hints         what a label in another notation may mean
    compilation         the property of a document -> a validated automaton
    actors              its application and delays -> values of `choreomon.actors`
    scenario            all of it made ready to run
    scenario_text       an application and sequences -> the text of their document
    stated_interaction  the interaction that a document states
    observation         what logs show of a run

What agents are given:

    table_file          the transition table of one process
    table_shape         what may be in it
    agent_config        what one agent is told, as a value, and what must hold of it
    agent_document      its file: the shape, and reading it
    agent_fields        of what it is made
    addresses           HOST:PORT
    key_files           secret and public keys, by which agents know each other

What a live service says and carries:

    clock_text          clocks that travel with a message, as text
    local               a service and its agent, as frames of a stream

What a live agent says:

    verdict_json        a verdict as a line of JSON
    status_json         how it is, as JSON

Runs:

    wire          monitoring messages as bytes
    clock_coding  the clocks in them, in few bytes
    clock_forms   which of its forms is the shortest
    small_numbers the same for differences of a byte each, at once
    packed_clocks clocks as they are kept for it
    clock_fields  where in them clocks are
    clock_links   what two agents know of each other's clocks
    packing       what a monitor remembers, in bytes
    trace         an event as one line of a trace
    monitor_log   what a monitor does as one line
    event_log     traces -> multi-traces
    recorded      logs in the formats that people have
    results       runs -> the JSON of `choreomon simulate --json`
    exported      runs for the tools of others

Recorded logs:

    recorded      logs of other systems, and ours -> what they say happened
    audit_json    what was found in them, as JSON

Interactions and multi-traces:

    hibou               HIBOU's files
    diagrams            sequence diagrams in Mermaid and PlantUML
    offline_json        interactions, multi-traces and signatures as JSON
    configuration_json  configurations as JSON
    automaton_file      automata as JSON, and where their letters are
    verifier_file       local verifiers and areas as JSON
    timbuk              automata in the Timbuk format
    json_documents      what JSON documents have in common
    json_shapes         what msgspec says of JSON, in our words
    json_keys           keys that come twice in it
    outcome_json        what verifying found, as JSON
    junit               and as XML, as are runs
    sarif               findings for code hosts
    findings            what runs and verifications come to, as findings
    sessions            many sessions in one file
    case_files          multi-traces with known answers
"""
