"""Models of SLA monitoring."""

from integrations.sla.models.clocks import (
    HAS_TARGET,
    Alert,
    SlaBreach,
    SlaClock,
    SupportIssue,
    SupportIssueEvent,
)
from integrations.sla.models.monitoring import GitHubDelivery, LabelPolicy, MonitoredRepository

__all__ = [
    "HAS_TARGET",
    "Alert",
    "GitHubDelivery",
    "LabelPolicy",
    "MonitoredRepository",
    "SlaBreach",
    "SlaClock",
    "SupportIssue",
    "SupportIssueEvent",
]
