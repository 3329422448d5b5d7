"""Kill processes and servers during work, and count lost work. Run by bin/chaos."""
