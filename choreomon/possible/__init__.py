"""Protocols against properties: whether what a protocol allows can form a property, and by which
run. Not whether a log did (`choreomon.audit`), nor whether a log fits a protocol
(`choreomon.verify`)."""
