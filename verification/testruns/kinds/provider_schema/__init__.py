"""Provider schema inspection: fetch the executable, start it in the sandbox, and store its schema."""
