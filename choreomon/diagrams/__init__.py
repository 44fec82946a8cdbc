"""Sequence diagrams in Mermaid and PlantUML -> interactions. The way back is drawn in
`choreomon.pictures.as_text`.
"""
