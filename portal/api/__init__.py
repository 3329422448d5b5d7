"""The portal for programs: the REST API below /api/, its tokens, its limits and its document."""
