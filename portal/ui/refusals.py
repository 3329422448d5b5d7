"""Responses to refused actions."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.functional import Promise

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


def render_action_form(
    request: HttpRequest,
    form: BaseForm,
    values: QueryDict,
    *,
    label: str | Promise,
    cancel_url: str,
    template: str = "ui/forms/action_form.html",
    **extra_context: object,
) -> HttpResponse:
    """Show the form of an action that has no page of its own, to be sent again after a refusal or a sign-in.

    `values`: what was sent, which can include the value of the button and the selected rows.
    `label`: text of the button that was pressed, or would be after a preview.
    `template`, `extra_context`: a page that extends the general one, and its further values.
    """
    field_names = {form.add_prefix(name) for name in form.fields} | {"csrfmiddlewaretoken", "preview"}
    # such as the value of the button, and the selected rows
    other_values = [(name, value) for name, texts in values.lists() if name not in field_names for value in texts]
    context = {"form": form, "label": label, "cancel_url": cancel_url, "other_values": other_values, **extra_context}
    status = 422 if request.method == "POST" and "preview" not in request.POST else 200
    return render(request, template, context, status=status)


def raise_if_forbidden(refusal: ActionRefused) -> None:
    """Raise PermissionDenied with the same message if the user lacks the permission."""
    if refusal.kind == "forbidden":
        raise PermissionDenied(str(refusal))
