"""Union of the kinds of items, which takes the place of the table of QueueItem.

What doesn't depend on the reader is compiled once: the kinds, and the columns that are computed from theirs.
"""

from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from typing import Any, cast

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import (
    BooleanField,
    Case,
    Count,
    ExpressionWrapper,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    When,
)
from django.db.models.expressions import RawSQL
from django.db.models.sql import Query
from django.db.models.sql.compiler import SQLCompiler
from django.db.models.sql.datastructures import BaseTable

from integrations.reviews.models import QueueItem
from integrations.reviews.selectors.queue import build_snoozed_condition
from integrations.reviews.selectors.queue_kinds import ITEM_COLUMNS, KINDS, NOW, NOW_PARAMETER
from integrations.submissions.models import ReadMarker
from integrations.submissions.selectors.recent_changes import EXCLUDED_EVENT_TYPES
from portal.accounts.models import User
from portal.audit.models import AuditEvent

USER_PARAMETER = object()  # stands for the ID of the reader in SQL that is compiled once
PARAMETERS = (NOW_PARAMETER, USER_PARAMETER)
USER = RawSQL("%s", (USER_PARAMETER,), IntegerField())
IS_NEW = Q(integration__events__seq__gt=F("seq")) & ~Q(integration__events__event_type__in=EXCLUDED_EVENT_TYPES)
IS_BY_OTHERS = Q(integration__events__actor_id=None) | ~Q(integration__events__actor_id=USER)
MARKERS = ReadMarker.objects.filter(user=USER, integration=OuterRef("integration_id")).order_by().values("integration")
FIRST_REQUEST = AuditEvent.objects.filter(integration=OuterRef("integration_id"), event_type="review.requested")
COMPUTED_COLUMNS = {
    # Work that comes back after requested changes keeps the age of its first round.
    "computed_began_at": Case(
        When(kind="review", review_round__gt=1, then=Subquery(FIRST_REQUEST.order_by("seq").values("at")[:1])),
        default=F("waiting_since"),
    ),
    "computed_is_snoozed": ExpressionWrapper(
        Q(integration__isnull=False) & build_snoozed_condition(NOW, "integration__"), BooleanField()
    ),
    # how many events of others are newer than the reader's marker; NULL without one
    "computed_changes": Subquery(
        MARKERS.annotate(count=Count("integration__events", filter=IS_NEW & IS_BY_OTHERS)).values("count")
    ),
}


class UnionTable(BaseTable):
    """Union of the kinds of a query, with the columns that the kinds give."""

    def as_sql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, tuple[Any, ...]]:
        """Return the union as a subquery."""
        branches = [
            KINDS[key].select_items().query.get_compiler(compiler.using).as_sql()
            for key in cast(ItemQuery, compiler.query).kinds
        ]
        quote = connection.ops.quote_name
        columns = ", ".join(f"{quote(f'item_{name}')} AS {quote(name)}" for name in ITEM_COLUMNS)
        union = " UNION ALL ".join(sql for sql, _ in branches)
        # S608: names of columns, and SQL that Django compiled.
        sql = f"(SELECT {columns} FROM ({union}) items) {quote(str(self.table_alias))}"  # noqa: S608
        return sql, tuple(param for _, params in branches for param in params)


class ItemTable(BaseTable):
    """Subquery of the items of some kinds."""

    def as_sql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, tuple[Any, ...]]:
        """Return the subquery. Its SQL depends on nothing but the kinds."""
        query = cast(ItemQuery, compiler.query)
        sql, params = compile_items(query.kinds, compiler.using)
        now = connection.ops.adapt_datetimefield_value(query.now)
        values = tuple(now if param is NOW_PARAMETER else query.user_id for param in params)
        return f"({sql}) {connection.ops.quote_name(str(self.table_alias))}", values


class ItemQuery(Query):
    """Query of the items of some kinds for a reader at a time."""

    base_table_class: type[BaseTable] = ItemTable
    kinds: tuple[str, ...] = ()
    now: datetime
    user_id: int


class UnionQuery(ItemQuery):
    """Query of the columns of items."""

    base_table_class = UnionTable


@lru_cache
def compile_items(kinds: tuple[str, ...], using: str) -> tuple[str, list[object]]:
    """Return the SQL of the items of some kinds, and its parameters: those that stand for the time and the reader.

    Its other values are literals, because the driver would convert each of them again for each query.
    """
    rows = limit_kinds(QuerySet(QueueItem, UnionQuery(QueueItem)), kinds).annotate(**COMPUTED_COLUMNS)
    sql, params = rows.values_list(*ITEM_COLUMNS, *COMPUTED_COLUMNS).query.get_compiler(using).as_sql()
    quote = connections[using].schema_editor().quote_value
    literals = ["%s" if param in PARAMETERS else quote(param).replace("%", "%%") for param in params]
    return sql.replace("%%", "%%%%") % tuple(literals), [param for param in params if param in PARAMETERS]


def select_items(kinds: Iterable[str], user: User, now: datetime) -> QuerySet[QueueItem]:
    """Return the items of some kinds. What they are doesn't depend on the user, only the number of changes does."""
    query = ItemQuery(QueueItem)
    query.user_id = user.pk
    query.now = now
    return limit_kinds(QuerySet(QueueItem, query), kinds)


def limit_kinds(rows: QuerySet[QueueItem], kinds: Iterable[str]) -> QuerySet[QueueItem]:
    """Return those of some kinds of rows from `select_items`. The others don't take part in the query."""
    rows = rows.all()
    cast(ItemQuery, rows.query).kinds = tuple(kinds)
    return rows
