"""Sequence diagrams in the languages of documentation, as interactions.

`choreomon.render.sequence_text` writes them. Bad input leaves this package as
`choreomon.core.errors.DocumentError` alone.

    mermaid    Mermaid's `sequenceDiagram`
    plantuml   PlantUML's sequence diagrams
    skipping   what is between two signs, left out
    composing  what statements and blocks of either mean
"""
