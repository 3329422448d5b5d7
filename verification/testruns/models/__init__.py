"""Models of the testruns app."""

from verification.testruns.models.nomad_plugin import NomadRehearsal
from verification.testruns.models.provider_lifecycle import LifecycleRehearsal
from verification.testruns.models.run_task import (
    RunTaskCallback,
    RunTaskRehearsal,
    RunTaskRehearsalQuerySet,
    RunTaskRequest,
)
from verification.testruns.models.schema_reading import SchemaReading, SchemaReadingQuerySet

__all__ = [
    "LifecycleRehearsal",
    "NomadRehearsal",
    "RunTaskCallback",
    "RunTaskRehearsal",
    "RunTaskRehearsalQuerySet",
    "RunTaskRequest",
    "SchemaReading",
    "SchemaReadingQuerySet",
]
