"""Queries that Django compiles once, because building one often takes longer than the database needs for it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from itertools import count, islice
from typing import Any, Generic, TypeAlias, TypeVar, cast

from django.core.exceptions import EmptyResultSet
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BigIntegerField, DateTimeField, Expression, Field, Model, QuerySet
from django.db.models.sql import Query
from django.db.models.sql.compiler import SQLCompiler

from portal.core.value_types import NamedValues

RowT = TypeVar("RowT")
# Values that no row has take the place of a reader's values (decision 0081).
_STAND_IN_TIME = datetime(1970, 1, 2, tzinfo=UTC)
Value: TypeAlias = "int | datetime | tuple[int, ...]"


class Parameter(Expression):
    """Value that `CompiledQuery.fetch` binds. It is converted as a value of the field."""

    def __init__(self, name: str, output_field: "Field[object, object]") -> None:
        super().__init__(output_field=output_field)
        self.name = name

    def as_sql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, tuple[Any, ...]]:
        """Return a placeholder, and this object in the place of its value."""
        return "%s", (self,)


class _BoundQuery(Query):
    """Query with its compiled SQL and the values of its parameters."""

    compiled: SQLCompiler
    sql: str
    params: tuple[object, ...]
    converters: dict[int, Any]
    values_by_name: NamedValues

    # Django doesn't document this method, so its tests have to pass before an upgrade (decision 0081).
    def get_compiler(
        self, using: str | None = None, connection: BaseDatabaseWrapper | None = None, elide_empty: bool = True
    ) -> SQLCompiler:
        """Return a compiler that compiled already. The connection is the one of this thread."""
        # Threads share the compiled query, but each has a connection of its own.
        compiler = copy(self.compiled)
        compiler.connection = connections[DEFAULT_DB_ALIAS]
        params = tuple(
            param.output_field.get_db_prep_value(self.values_by_name[param.name], compiler.connection)
            if isinstance(param, Parameter)
            else param
            for param in self.params
        )
        sql = self.sql
        if self.is_sliced:
            sql += f" {compiler.connection.ops.limit_offset_sql(self.low_mark, self.high_mark)}"
        compiler.__dict__.update(as_sql=lambda: (sql, params), get_converters=lambda _: self.converters)
        return compiler


class CompiledQuery(Generic[RowT]):
    """Query that is the same for every reader except for its parameters. Nothing but its SQL is kept.

    Args:
        build: Returns the rows with a `Parameter` in the place of each value that differs. Called at the first use, so
            it must depend on nothing else, such as the language. Prefetches raise ValueError.
        stand_ins: Values in the rows that take the places of parameters. No other value in them may be equal to one.
    """

    def __init__(
        self, build: "Callable[[], QuerySet[Model, RowT]]", stand_ins: Sequence[tuple[object, Parameter]] = ()
    ) -> None:
        self._compile = cache(lambda: _compile(build(), stand_ins))

    def fetch(self, **values: object) -> list[RowT]:
        """Return the rows for the values of the parameters."""
        return list(self.select(**values))

    def select(self, **values: object) -> "QuerySet[Model, RowT]":
        """Return a queryset for the values of the parameters. It can be sliced, but neither filtered nor counted."""
        template = self._compile()
        query = copy(cast(_BoundQuery, template.query))
        query.values_by_name = values
        rows: QuerySet[Model, RowT] = QuerySet(template.model, query, DEFAULT_DB_ALIAS)
        rows._iterable_class = template._iterable_class
        return rows


def _compile(rows: "QuerySet[Model, RowT]", stand_ins: Sequence[tuple[object, Parameter]]) -> "QuerySet[Model, RowT]":
    """Return rows whose query keeps its SQL."""
    if rows._prefetch_related_lookups:  # type: ignore[attr-defined]
        raise ValueError("A compiled query has no prefetches.")
    query = cast(_BoundQuery, rows.query.chain(_BoundQuery))
    compiler = Query.get_compiler(query, DEFAULT_DB_ALIAS)
    try:
        query.sql, params = compiler.as_sql(with_limits=False)
    except EmptyResultSet:
        return rows.none()
    pairs = [(param.output_field.get_db_prep_value(value, compiler.connection), param) for value, param in stand_ins]
    query.params = tuple(next((param for value, param in pairs if value == each), each) for each in params)
    query.compiled = compiler
    query.converters = compiler.get_converters([column for column, *_ in compiler.select[: compiler.col_count]])
    compiled: QuerySet[Model, RowT] = QuerySet(rows.model, query, DEFAULT_DB_ALIAS)
    compiled._iterable_class = rows._iterable_class
    return compiled


def select_compiled(build: "Callable[..., QuerySet[Model, RowT]]", **values: Value) -> "QuerySet[Model, RowT]":
    """Return `build(**values)`, compiled once for all values with the same types and, of tuples, lengths.

    The values may appear only in its conditions. The result can be sliced, but neither filtered nor counted.
    """
    shape = tuple((name, len(value) if isinstance(value, tuple) else type(value)) for name, value in values.items())
    return _compile_shape(build, shape).select(**dict(_name_each(values)))


@lru_cache(maxsize=500)
def _compile_shape(
    build: "Callable[..., QuerySet[Model, RowT]]", shape: tuple[tuple[str, int | type], ...]
) -> CompiledQuery[RowT]:
    values: dict[str, Value] = {}
    numbers = count(-1000, -1)  # no row has a negative ID
    for name, kind in shape:
        if isinstance(kind, int):
            values[name] = tuple(islice(numbers, kind))
        else:
            values[name] = _STAND_IN_TIME - timedelta(seconds=next(numbers)) if kind is datetime else next(numbers)
    stand_ins = [
        (value, Parameter(name, DateTimeField() if isinstance(value, datetime) else BigIntegerField()))
        for name, value in _name_each(values)
    ]
    return CompiledQuery(lambda: build(**values), stand_ins)


def _name_each(values: Mapping[str, Value]) -> "Iterator[tuple[str, int | datetime]]":
    """Yield a name for each value, also for those in a tuple."""
    for name, value in values.items():
        if isinstance(value, tuple):
            yield from ((f"{name}_{number}", each) for number, each in enumerate(value))
        else:
            yield name, value
