"""How does the portal explain itself? Words, how it is doing, and where a partner begins."""
