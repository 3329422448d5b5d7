"""How does a standing end, and how does it come back? What both sides see, what the portal notes, and who is told."""
