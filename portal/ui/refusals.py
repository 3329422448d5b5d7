"""Answers to refused actions."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from portal.core.errors import ActionRefused


def report_refusal(request: HttpRequest, refusal: ActionRefused) -> None:
    """Say on the next page why it was not done. What this person may not do is answered at once, with 403."""
    raise_if_forbidden(refusal)
    messages.error(request, str(refusal))


def raise_if_forbidden(refusal: ActionRefused) -> None:
    """Raises PermissionDenied, with the same sentence, where it is about the person and not about the moment."""
    if refusal.kind == "forbidden":
        raise PermissionDenied(str(refusal))
