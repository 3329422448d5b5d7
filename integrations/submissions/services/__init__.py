"""Writes that are not steps: create, answer, find, say, move. Each with `by=` and `now=`, each one event."""
