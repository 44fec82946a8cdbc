"""Commands about interactions alone: explore, canonize, generate-interaction, and their pictures.
Logs are compared with interactions in `choreomon.cli.offline`.
"""
