"""Readers of sequence diagrams in Mermaid and PlantUML, as interactions. Writers are in
`choreomon.pictures.as_text`.
"""
