"""Writes to integrations. Each function records one audit event."""
