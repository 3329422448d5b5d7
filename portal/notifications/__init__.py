"""What reaches a person, where and how often? Their choices, their digest, the calendar of their deadlines."""
