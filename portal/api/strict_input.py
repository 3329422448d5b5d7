"""Refusal of input that an operation doesn't read. A typo in its name would look like success."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Annotated, get_args, get_origin, get_type_hints

from django.http import HttpRequest
from ninja.params.models import File, Form, Query

from portal.api.problems import ApiError, FieldError

UNKNOWN_PARAMETER_MESSAGE = "Unknown parameter."
UNKNOWN_FIELD_MESSAGE = "Unknown field."
MAX_NAME_LENGTH = 40  # of a name in a message
MAX_FIELDS = 20  # per message


@dataclass(frozen=True, slots=True)
class KnownInput:
    """Names of the parameters and form fields of an operation, and whether it reads a JSON body and If-Match."""

    parameters: frozenset[str]
    form_fields: frozenset[str]
    has_body: bool
    has_if_match: bool


def describe_input(operation: Callable[..., object]) -> KnownInput:
    """Return what an operation reads."""
    hints = get_type_hints(operation, include_extras=True)
    annotations = [(name, *get_args(hint)[:2]) for name, hint in hints.items() if get_origin(hint) is Annotated]
    schemas = [schema for _, schema, marker in annotations if isinstance(marker, Query)]
    return KnownInput(
        parameters=frozenset(name for schema in schemas for name in schema.model_fields),
        form_fields=frozenset(name for name, _, marker in annotations if isinstance(marker, File | Form)),
        has_body="body" in hints,
        has_if_match="if_match" in hints,
    )


def refuse_unknown_input(request: HttpRequest, known_input: KnownInput, parse_body: Callable[..., object]) -> None:
    """Raise ApiError for parameters, fields, and conditions that the operation would ignore."""
    refuse_unknown_parameters(request, known_input.parameters)
    if request.method == "GET":
        return
    # Without this, a client would overwrite changes of others although it asked not to.
    if not known_input.has_if_match and request.headers.get("If-Match", "*").strip() != "*":
        raise FieldError("If-Match", "This operation doesn't support If-Match. Send the request without it.")
    _refuse_names({*request.POST, *request.FILES} - known_input.form_fields, UNKNOWN_FIELD_MESSAGE)
    if not known_input.has_body and request.content_type == "application/json" and request.body:
        data = parse_body(request)
        if not isinstance(data, dict):
            raise ApiError("validation-error", "This operation takes no body. Send none, or an empty object.")
        _refuse_names(data, UNKNOWN_FIELD_MESSAGE)


def refuse_unknown_parameters(request: HttpRequest, known_parameters: Collection[str]) -> None:
    """Raise ApiError for query parameters that are unknown, or of which only the last value would count."""
    _refuse_names(set(request.GET) - set(known_parameters), UNKNOWN_PARAMETER_MESSAGE)
    _refuse_names([name for name, values in request.GET.lists() if len(values) > 1], "Send this parameter once.")


def _refuse_names(names: Iterable[str], message: str) -> None:
    fields = [(name[:MAX_NAME_LENGTH], message) for name in sorted(names)[:MAX_FIELDS]]
    if fields:
        raise ApiError("validation-error", message, fields=fields)
