"""The embedded portal as one command: supervised processes, their broker, and what must be true before they start."""
