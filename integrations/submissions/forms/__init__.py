"""What may people type, and is it fit? One module for each question; pages import from the module they mean."""
