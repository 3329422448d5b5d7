"""Nomad plugin test: calls a plugin as Nomad does. No Django here."""
