"""Notifications: preferences, email delivery, digests, and the calendar feed of deadlines."""
