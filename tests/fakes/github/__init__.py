"""A GitHub on loopback: a stateful API server of someone else's making, and a thin proxy of ours in front."""
