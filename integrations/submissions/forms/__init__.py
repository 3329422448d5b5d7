"""Forms of the submissions pages."""
