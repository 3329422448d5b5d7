"""The weekly SLA report: figures frozen once, and every form of it made from what was frozen."""
