"""Base classes for admin pages."""

from django.http import HttpRequest


class ReadOnlyAdminMixin:
    """Admin page that allows viewing only."""

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False
