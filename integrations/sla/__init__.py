"""SLA monitoring: support issues from GitHub, SLA clocks, and breaches.

`github` stores events unchanged, `engine` projects them to clocks as a pure function, and `tasks` processes due
clocks. Replaying events changes nothing.
"""
