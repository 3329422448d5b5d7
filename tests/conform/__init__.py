"""Conformance: each gate of the portal compared with an independent judge."""
