"""Demo world: every program, stage, and role, created through the services of the portal."""
