"""Access to private repositories that people grant through a GitHub App, and that they can revoke."""
