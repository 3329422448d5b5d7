"""Compliance procedure: notices, suspension, delisting, appeals, and reinstatement of listed integrations."""
