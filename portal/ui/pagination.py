"""Pagination of lists."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest


def paginate(request: HttpRequest, rows: Any, size: int = 50) -> Any:
    """Return the requested page, the first page for invalid numbers, or the last page for numbers too high."""
    return Paginator(rows, size).get_page(request.GET.get("page"))
