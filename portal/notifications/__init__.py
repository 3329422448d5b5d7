"""Notifications: preferences, email delivery, and the calendar feed of deadlines."""
