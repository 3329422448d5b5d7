"""Queries of the queue that are compiled once for all readers with the same roles and filters.

Building and compiling them takes longer than the database needs to run them. The readers, their companies, and the
times are bound at each execution.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, TypeAlias, cast

from django.db.models import BigIntegerField, DateTimeField, Field, QuerySet

from integrations.partners.conflicts import get_conflicts
from integrations.partners.models import ConflictKind
from integrations.partners.permissions import get_roles
from integrations.reviews.models import QueueItem
from integrations.reviews.selectors.queue import get_end_of_day
from portal.accounts.models import User
from portal.core.compiled_queries import CompiledQuery, Parameter

Items: TypeAlias = QuerySet[QueueItem, tuple[Any, ...]]
# builds items from filters, a reader, a time, and arguments
ItemsBuilder: TypeAlias = Callable[..., Items]
FIELDS: "Mapping[type, Field[Any, Any]]" = {int: BigIntegerField(), datetime: DateTimeField()}
# Stand-in for the time. Those for the reader and their companies are negative IDs, which no row has.
STAND_IN_TIME = datetime(1970, 1, 2, 3, 4, 5, 678, tzinfo=UTC)


def select_compiled(build: ItemsBuilder, filters: Mapping[str, str], user: User, now: datetime, *args: object) -> Items:
    """Return `build(filters, user, now, *args)`, compiled once for all equal filters, roles, and arguments."""
    values = _list_values(filters, user, now)
    roles = (user.is_active, user.is_reviewer, *user.program_roles)
    companies = sum(name.startswith("company_") for name in values)
    return cast(Items, _compile(build, tuple(filters.items()), roles, companies, args).select(**values))


@lru_cache(maxsize=500)
def _compile(
    build: ItemsBuilder, filters: tuple[tuple[str, str], ...], roles: Sequence[Any], companies: int, args: Sequence[Any]
) -> CompiledQuery[tuple[Any, ...]]:
    """Return the query for a stand-in that has only these roles, so that nothing else of a reader can get into it."""
    is_active, is_reviewer, *program_roles = roles
    user = User(pk=-1, is_active=is_active, is_reviewer=is_reviewer, program_roles=program_roles)
    user._roles = []  # type: ignore[attr-defined]
    user._conflicts = dict.fromkeys(range(-1 - companies, -1), ConflictKind.MARKED)  # type: ignore[attr-defined]
    values = _list_values(dict(filters), user, STAND_IN_TIME)
    rows = build(dict(filters), user, STAND_IN_TIME, *args)
    return CompiledQuery(
        lambda: rows, [(value, Parameter(name, FIELDS[type(value)])) for name, value in values.items()]
    )


def _list_values(filters: Mapping[str, str], user: User, now: datetime) -> dict[str, int | datetime]:
    """Return all values of a reader and of a time that queries of the queue have."""
    companies = [*get_roles(user), *get_conflicts(user)]
    return {
        "user": user.pk,
        "now": now,
        "end_of_day": get_end_of_day(now),
        "began_at": now - timedelta(days=int(filters.get("age") or 0)),
        **{f"company_{number}": pk for number, pk in enumerate(companies)},
    }
