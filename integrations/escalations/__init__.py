"""Escalations: the next recipient is notified when the program does not respond, or an email is undeliverable."""
