"""Results for machines: JSON, SARIF, JUnit XML. Results for people are in `choreomon.terminal` and
`choreomon.pages`.
"""
