"""Start of an integration from evidence: an address is read, its program recognized, and its requirements checked."""
