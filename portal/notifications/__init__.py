"""Notifications: preferences, email delivery, digests, escalation, and the calendar feed of deadlines."""
