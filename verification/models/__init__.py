"""The tables of the middle floor."""

from verification.models.checks import CheckResult, CheckRun
from verification.models.lifecycle import LifecycleRehearsal
from verification.models.nomad import NomadRehearsal
from verification.models.rehearsal import RunTaskCallback, RunTaskRehearsal, RunTaskRequest
from verification.models.schemas import SchemaReading, StoredSchema
from verification.models.sources import Allowance, KeptAnswer, Observation
from verification.models.support import (
    Alert,
    Breach,
    Clock,
    ClockEvent,
    Delivery,
    Issue,
    IssueEvent,
    SupportPolicy,
    Watch,
)

__all__ = [
    "Alert",
    "Allowance",
    "Breach",
    "CheckResult",
    "CheckRun",
    "Clock",
    "ClockEvent",
    "Delivery",
    "Issue",
    "IssueEvent",
    "KeptAnswer",
    "LifecycleRehearsal",
    "NomadRehearsal",
    "Observation",
    "RunTaskCallback",
    "RunTaskRehearsal",
    "RunTaskRequest",
    "SchemaReading",
    "StoredSchema",
    "SupportPolicy",
    "Watch",
]
