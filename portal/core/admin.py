"""Base classes for admin pages."""

from typing import Any

from django.http import HttpRequest


class ReadOnlyAdminMixin:
    """Admin page that allows viewing only."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
