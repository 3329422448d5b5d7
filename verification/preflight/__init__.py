"""What would the portal say? The very same checks on a partner's own machine, without a database."""
