"""Kills every process and server while work is under way and counts what is lost. Run by bin/chaos."""
