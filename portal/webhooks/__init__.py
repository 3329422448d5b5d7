"""How do other systems hear of what happens here? Webhooks that the portal sends, and messages to Slack."""
