"""Responses to refused actions."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from portal.core.errors import ActionRefused


def report_refusal(request: HttpRequest, refusal: ActionRefused) -> None:
    """Show the refusal on the next page, or raise PermissionDenied for a missing permission."""
    raise_if_forbidden(refusal)
    messages.error(request, str(refusal))


def raise_if_forbidden(refusal: ActionRefused) -> None:
    """Raise PermissionDenied with the same message if the user lacks the permission."""
    if refusal.kind == "forbidden":
        raise PermissionDenied(str(refusal))
