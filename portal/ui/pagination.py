"""Pagination of lists."""

from typing import TypeVar

from django.core.paginator import Page, Paginator
from django.db.models import Model, QuerySet
from django.http import HttpRequest

Row = TypeVar("Row", bound=Model)


def paginate(
    request: HttpRequest, rows: QuerySet[Row], size: int = 50, *, parameter: str = "page", count: int | None = None
) -> Page[Row]:
    """Return the requested page, the first page for invalid numbers, or the last page for numbers too high.

    A known count saves a query.
    """
    paginator = Paginator(rows, size)
    if count is not None:
        paginator.count = count  # type: ignore[misc]
    return paginator.get_page(request.GET.get(parameter))
