"""Polling by htmx."""

STOP_POLLING_STATUS = 286  # htmx's own status: swap this response in and stop polling
