"""Takes the screenshots of docs/screens from a running portal with the demo world."""
