"""Union of the kinds of items, which takes the place of the table of QueueItem."""

from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from typing import Any, cast

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import QuerySet
from django.db.models.sql import Query
from django.db.models.sql.compiler import SQLCompiler
from django.db.models.sql.datastructures import BaseTable

from integrations.reviews.models import QueueItem
from integrations.reviews.selectors.queue_kinds import ITEM_COLUMNS, KINDS, NOW_PARAMETER


class ItemTable(BaseTable):
    """Subquery of the kinds of a query."""

    def as_sql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, tuple[Any, ...]]:
        """Return the subquery. Its SQL depends on nothing but the kinds; the time is one of its parameters."""
        query = cast(ItemQuery, compiler.query)
        branches = [compile_kind(key, compiler.using) for key in query.kinds]
        quote = connection.ops.quote_name
        columns = ", ".join(f"{quote(f'item_{name}')} AS {quote(name)}" for name in ITEM_COLUMNS)
        union = " UNION ALL ".join(sql for sql, _ in branches)
        now = connection.ops.adapt_datetimefield_value(query.now)
        params = tuple(now if param is NOW_PARAMETER else param for _, params in branches for param in params)
        # S608: names of columns, and SQL that Django compiled.
        return f"(SELECT {columns} FROM ({union}) items) {quote(str(self.table_alias))}", params  # noqa: S608


class ItemQuery(Query):
    """Query of the items of some kinds at a time."""

    base_table_class = ItemTable
    kinds: tuple[str, ...] = ()
    now: datetime


@lru_cache
def compile_kind(key: str, using: str) -> tuple[str, tuple[Any, ...]]:
    """Return the SQL of the items of a kind and its parameters."""
    return KINDS[key].select_items().query.get_compiler(using).as_sql()


def select_items(kinds: Iterable[str], now: datetime) -> QuerySet[QueueItem]:
    """Return the items of some kinds for all users."""
    query = ItemQuery(QueueItem)
    query.now = now
    return limit_kinds(QuerySet(QueueItem, query), kinds)


def limit_kinds(rows: QuerySet[QueueItem], kinds: Iterable[str]) -> QuerySet[QueueItem]:
    """Return those of some kinds of rows from `select_items`. The others don't take part in the query."""
    rows = rows.all()
    cast(ItemQuery, rows.query).kinds = tuple(kinds)
    return rows
