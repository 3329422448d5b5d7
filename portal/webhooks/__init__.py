"""Outgoing webhooks, also as messages for Slack and Microsoft Teams."""
