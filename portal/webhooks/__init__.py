"""Outgoing webhooks and Slack messages."""
