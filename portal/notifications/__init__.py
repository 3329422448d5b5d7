"""Notifications: categories, preferences, and email delivery. Their pages are in `portal.inbox`."""
