"""Requirements: each has its own address, at which the integration page shows it opened."""
