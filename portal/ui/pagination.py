"""Pagination of lists."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest


def paginate(request: HttpRequest, rows: Any, size: int = 50) -> Any:
    """The page of a list that the address asks for; the first for nonsense, the last for too far."""
    return Paginator(rows, size).get_page(request.GET.get("page"))
