"""Queries about jobs for status pages."""

from datetime import datetime

from portal.jobs.definitions import JobDefinition
from portal.jobs.models import Job, JobQuerySet


def list_due_jobs(definition: JobDefinition, now: datetime) -> JobQuerySet:
    """List the jobs of a kind that nobody has started although they are due, or that a process left behind."""
    return Job.objects.due(now).filter(kind=definition.kind)
