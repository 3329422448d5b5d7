"""Pages of notifications: the inbox, preferences, the email log, and the calendar feed of deadlines."""
