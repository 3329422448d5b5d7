"""Files of a release: pure functions over bytes. Nothing is executed or written to disk."""
