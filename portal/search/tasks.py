"""Periodic updates of the search index."""

from datetime import datetime

from portal.search import indexing


def index_documentation(now: datetime) -> int:
    """Index the programs and help pages of a new release."""
    return indexing.index_documentation()


def rebuild(now: datetime) -> int:
    """Find changes that the index missed, such as those on the administration pages."""
    return indexing.rebuild()
