"""Periodic updates of the search index."""

from datetime import datetime, timedelta

from portal.jobs.registry import periodic_job
from portal.search import indexing


@periodic_job("search.index_documentation", every=timedelta(hours=1), queue="network")
def index_documentation(now: datetime) -> int:
    """Index the programs and help pages of a new release."""
    return indexing.index_documentation()


@periodic_job("search.rebuild", every=timedelta(days=1), queue="network")
def rebuild(now: datetime) -> int:
    """Find changes that the index missed, such as those on the administration pages."""
    return indexing.rebuild()
