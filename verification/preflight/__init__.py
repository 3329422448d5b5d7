"""Preflight: the portal's checks on a partner's own machine, without a database."""
