"""Conformance: results of the portal compared with independent references."""
