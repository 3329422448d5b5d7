"""Pagination of lists. The links of a page hold its number and, where the order allows it, a position.

With a position, a page begins after a row, and the database doesn't count the rows before it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit

from django.core import signing
from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.core.paginator import EmptyPage, Page, Paginator
from django.db.models import Field, Model, Q, QuerySet
from django.http import HttpRequest, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.functional import cached_property
from django.utils.http import url_has_allowed_host_and_scheme

from portal.core.compiled_queries import Value, select_compiled
from portal.core.figures import build_key, read_figures

Row = TypeVar("Row", bound=Model)
FIRST_DEEP_PAGE = 10
COUNT_CACHE_SECONDS = 60
SEPARATOR = "~"  # of the number of a page and a position
AFTER = "a"
BEFORE = "b"


@dataclass(frozen=True, slots=True)
class OrderColumn:
    """Column of an order that is never null."""

    field: "Field[Any, Any]"
    is_descending: bool


def list_columns(rows: QuerySet[Any]) -> list[OrderColumn]:
    """Return the columns of the order of a list, or none if a position can't be found by comparing its columns."""
    columns = []
    for entry in rows.query.order_by or rows.model._meta.ordering:
        name = str(entry).removeprefix("-")
        try:
            field = rows.model._meta.pk if name == "pk" else rows.model._meta.get_field(name)
        except FieldDoesNotExist:
            return []
        if not isinstance(field, Field) or field.null or (field.is_relation and name != "pk"):
            return []
        columns.append(OrderColumn(field, str(entry).startswith("-")))
    return columns if columns and columns[-1].field.unique else []


def encode_position(row: Model, columns: Sequence[OrderColumn], direction: str) -> str:
    """Return the position after or before a row, for the URL. It is signed, because the database compares its values.

    The order is part of the signature, so that a position is not used in another order. The time isn't, so that the
    links of a page don't change.
    """
    values = [getattr(row, column.field.attname) for column in columns]
    texts = [value.isoformat() if isinstance(value, datetime) else str(value) for value in values]
    return signing.Signer(salt=repr(columns)).sign_object([direction, *texts])


def decode_position(text: str, columns: Sequence[OrderColumn]) -> tuple[str, list[Any]] | None:
    """Return the direction and the values of a position, or None if it is not one of this order."""
    try:
        direction, *texts = signing.Signer(salt=repr(columns)).unsign_object(text)
        return direction, [column.field.to_python(value) for column, value in zip(columns, texts, strict=True)]
    except (signing.BadSignature, ValidationError):
        return None


def select_from(
    rows: QuerySet[Any], columns: Sequence[OrderColumn], direction: str, values: list[Any]
) -> QuerySet[Any]:
    """Return the rows after a position in their order, or the rows before it in the reverse order."""
    is_forward = direction == AFTER
    comparisons = ["lt" if column.is_descending == is_forward else "gt" for column in columns]
    names = [column.field.attname for column in columns]
    condition = Q()
    for index, (name, comparison) in enumerate(zip(names, comparisons, strict=True)):
        equal = dict(zip(names[:index], values, strict=False))
        condition |= Q(**equal, **{f"{name}__{comparison}": values[index]})
    # the first column alone limits the part of an index that is read
    selected = rows.filter(condition, **{f"{names[0]}__{comparisons[0]}e": values[0]})
    return selected if is_forward else selected.reverse()


class ListPage(Page):
    """Page with the values of the links to the previous and next pages."""

    object_list: QuerySet[Any]
    paginator: "ListPaginator"

    @property
    def previous_link(self) -> str:
        return self._build_link(self.previous_page_number(), BEFORE, 0)

    @property
    def next_link(self) -> str:
        return self._build_link(self.next_page_number(), AFTER, -1)

    def _build_link(self, number: int, direction: str, index: int) -> str:
        columns = self.paginator.columns
        rows = list(self.object_list) if columns and number > 1 else []
        if not rows:
            return str(number)
        return f"{number}{SEPARATOR}{encode_position(rows[index], columns, direction)}"


class ListPaginator(Paginator):
    """Paginator of a query. The number of many rows is up to a minute old.

    From a position, a page is found as fast as the first one. Otherwise, a deep page of the list finds its keys first,
    from an index alone where one has the order. The database would read all rows of the previous pages, with everything
    that they are joined with.
    """

    object_list: QuerySet[Any]
    position = ""
    by_key = False
    count_rows: Callable[[], int] | None = None

    @cached_property
    def count(self) -> int:
        if self.count_rows:
            return self.count_rows()
        rows = self.object_list.order_by()
        return read_figures(build_key("count", rows), rows.count, int, seconds=COUNT_CACHE_SECONDS)

    @cached_property
    def columns(self) -> list[Any]:
        return list_columns(self.object_list)

    def get_page(self, number: float | str | None) -> Page[Any]:
        """Return a page, as Django does. The rows of a short list are also their number."""
        if "count" not in self.__dict__ and number in ("", "1") and not self.by_key:
            rows = self.object_list[: self.per_page + 1]
            if len(rows) <= self.per_page:
                self.count = len(rows)
            return ListPage(rows[: self.per_page], 1, self)
        return super().get_page(number)

    def validate_number(self, number: float | str) -> int:
        """Return a valid number. The position of a page that doesn't exist anymore has no rows after it."""
        try:
            return super().validate_number(number)
        except EmptyPage:
            self.position = ""
            raise

    def page(self, number: int | str) -> ListPage:
        """Return a page."""
        valid_number = self.validate_number(number)
        start = (valid_number - 1) * self.per_page
        rows = self.object_list[start : start + self.per_page]
        direction = AFTER
        position = decode_position(self.position, self.columns) if valid_number > 1 else None
        if position:
            direction = position[0]
            rows = select_from(self.object_list, self.columns, *position)[: self.per_page]
        elif 1 < valid_number == self.num_pages and self.columns:
            direction = BEFORE  # from the end, so that the database doesn't read all rows before the last page
            rows = self.object_list.reverse()[: self.count - start]
        is_deep = valid_number >= FIRST_DEEP_PAGE and not position
        if self.by_key or is_deep or direction == BEFORE:
            rows = self.object_list.filter(pk__in=list(rows.values_list("pk", flat=True)))
        return ListPage(rows, valid_number, self)


def paginate(
    request: HttpRequest,
    rows: QuerySet[Row],
    size: int = 50,
    *,
    parameter: str = "page",
    count: int | Callable[[], int] | None = None,
    by_key: bool = False,
) -> Page[Row]:
    """Return the requested page, the first page for invalid numbers, or the last page for numbers too high.

    A known count saves a query. A count function is called only if the rows fill more than one page. All pages of a
    list `by_key` find their keys first, not only deep ones.
    """
    number, _, position = request.GET.get(parameter, "").partition(SEPARATOR)
    paginator = ListPaginator(rows, size)
    paginator.position = position
    paginator.by_key = by_key
    if callable(count):
        paginator.count_rows = count
    elif count is not None:
        paginator.count = count
    return paginator.get_page(number)


def paginate_compiled(
    request: HttpRequest,
    build: Callable[..., QuerySet[Row]],
    size: int,
    *,
    parameter: str = "page",
    count: int | None = None,
    **values: Value,
) -> Page[Row]:
    """Return the requested page of `build(**values)`. A known count saves a query.

    The query of the first page, which most readers see, is compiled once, as `select_compiled` explains.
    """
    if request.GET.get(parameter):
        return paginate(request, build(**values), size, parameter=parameter, count=count)

    def count_rows() -> int:
        key = f"count {build.__module__} {build.__qualname__} {values}"
        return read_figures(key, lambda: build(**values).order_by().count(), int, seconds=COUNT_CACHE_SECONDS)

    rows = cast("QuerySet[Row]", select_compiled(build, **values))
    return paginate(request, rows, size, parameter=parameter, count=count_rows if count is None else count)


def redirect_to_list(request: HttpRequest, to: str, *args: object) -> HttpResponseRedirect:
    """Redirect to a page with lists after an action on it.

    The lists stay on their pages, with their filters: the query of this URL, or else of the page that sent the form.
    """
    url = resolve_url(to, *args)
    query = request.META.get("QUERY_STRING", "")
    referrer = request.headers.get("Referer", "")
    if not query and url_has_allowed_host_and_scheme(referrer, {request.get_host()}, request.is_secure()):
        source = urlsplit(referrer)
        query = source.query if source.path == url else ""
    return HttpResponseRedirect(f"{url}?{query}" if query else url)
