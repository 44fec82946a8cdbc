"""Pictures that are texts for other tools: Mermaid and PlantUML. They are read again in
`choreomon.diagrams`.
"""
