"""Self-contained HTML pages about runs and audits. The pictures on them are drawn in
`choreomon.pictures`.
"""
