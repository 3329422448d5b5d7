"""Fakes of external services: servers on loopback, never mocks of the portal's own code."""
