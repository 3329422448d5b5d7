"""Conformance: each check of the portal compared with an independent reference implementation."""
