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
