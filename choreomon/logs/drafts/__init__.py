"""Drafts of mappings, from what logs hold. What is drafted is a document for people to look at and
mend; reading by it is in `choreomon.logs.mappings`."""
