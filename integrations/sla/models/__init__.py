"""Models of SLA monitoring."""

from integrations.sla.models.clocks import (
    HAS_TARGET,
    IS_MONITORED,
    Alert,
    SlaBreach,
    SlaClock,
    SupportIssue,
    SupportIssueEvent,
)
from integrations.sla.models.monitoring import GitHubDelivery, LabelPolicy, MonitoredRepository
