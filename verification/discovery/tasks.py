"""Jobs of the discovery app."""

from verification.discovery.services import read_discovery

__all__ = ["read_discovery"]
