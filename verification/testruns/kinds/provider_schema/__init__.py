"""How does the portal read the schema of a published provider? It fetches, has it started in the sandbox, and keeps."""
