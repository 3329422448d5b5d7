"""Responses to refused actions."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.forms import BaseForm
from django.http import HttpRequest

from portal.core.errors import ActionRefused


def show_refusal(request: HttpRequest, refusal: ActionRefused) -> None:
    """Show the refusal on the next page, or raise PermissionDenied for a missing permission."""
    raise_if_forbidden(refusal)
    messages.error(request, str(refusal))


@contextmanager
def report_refusals(request: HttpRequest, success_message: str = "") -> Iterator[None]:
    """Show a refusal of the block, or else the message, on the next page.

    Raises PermissionDenied for a missing permission.
    """
    try:
        yield
    except ActionRefused as refusal:
        show_refusal(request, refusal)
    else:
        if success_message:
            messages.success(request, success_message)


@contextmanager
def add_refusals_to_form(form: BaseForm, field: str | None = None) -> Iterator[None]:
    """Show a refusal of the block among the errors of the form, or at a field.

    Raises PermissionDenied for a missing permission.
    """
    try:
        yield
    except ActionRefused as refusal:
        raise_if_forbidden(refusal)
        form.add_error(field, str(refusal))


def require_valid(form: BaseForm) -> None:
    """Raise ActionRefused with the errors of an invalid form, for pages that show them as a message."""
    if not form.is_valid():
        raise ActionRefused(" ".join(str(error) for errors in form.errors.values() for error in errors))


def raise_if_forbidden(refusal: ActionRefused) -> None:
    """Raise PermissionDenied with the same message if the user lacks the permission."""
    if refusal.kind == "forbidden":
        raise PermissionDenied(str(refusal))
