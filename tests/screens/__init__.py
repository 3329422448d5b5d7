"""Screenshots of docs/screens, taken of a running portal with the demo world."""
