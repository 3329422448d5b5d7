"""Building blocks of API operations: scoped routers, strict schemas, and a strict parser."""

import json
import re
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Annotated, TypedDict, TypeVar

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from ninja import Path, Router, Schema, Status
from ninja.errors import HttpError
from ninja.parser import Parser
from ninja.security import HttpBearer
from pydantic import ConfigDict, Field

from portal.accounts.requests import AuthenticatedRequest
from portal.api.problems import ApiError
from portal.api.scopes import SCOPES_BY_KEY
from portal.api.strict_input import describe_input, refuse_unknown_input
from portal.core.value_types import JsonObject

Operation = TypeVar("Operation", bound=Callable[..., object])
# SQLite raises an error for larger integers.
MAX_ID = 2**63 - 1
RowId = Annotated[int, Path(le=MAX_ID)]
METHODS_BY_OPERATION: dict[str, str] = {}


class RequestContext(TypedDict):
    """Context of schema resolvers."""

    request: AuthenticatedRequest


class BearerAuth(HttpBearer):
    """Bearer authentication for the OpenAPI document. The middleware has already verified the token."""

    def authenticate(self, request: HttpRequest, token: str) -> object:
        return getattr(request, "api_token", None)


class StrictSchema(Schema):
    """Request body that rejects unknown fields."""

    model_config = ConfigDict(extra="forbid")


class NameConfirmation(StrictSchema):
    """Query parameter that confirms a deletion."""

    confirm_name: str = Field("", max_length=200, description="Name of what is deleted.")


class MessageResponse(Schema):
    """Confirmation of an action."""

    message: str


class StrictParser(Parser):
    """Parser of strict JSON (RFC 8259): finite numbers, unique names, and no characters that databases reject."""

    def parse_body(self, request: HttpRequest) -> JsonObject:
        try:
            data = json.loads(request.body.decode("utf-8"), object_pairs_hook=_build_unique_object)
            # Python reads NaN, 1e400 as infinity, and lone surrogates, none of which a JSON column can hold.
            text = json.dumps(data, ensure_ascii=False, allow_nan=False)
            text.encode("utf-8")
        except (ValueError, RecursionError) as error:
            raise HttpError(400, "The body is not JSON.") from error
        # In JSON, NUL occurs only as this escape. After another backslash, it is text that quotes the escape.
        if re.search(r"(?<!\\)(\\\\)*\\u0000", text):
            raise HttpError(400, "The body contains an invalid character.")
        return data


def _build_unique_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    data = dict(pairs)
    if len(data) != len(pairs):
        raise ValueError("duplicate name")
    return data


class ScopedRouter:
    """Router whose operations require a scope. Operations with an empty scope are public."""

    def __init__(self, tag: str) -> None:
        self.router = Router(tags=[tag])

    def get(
        self, path: str, scope: str, response: object, files: tuple[str, ...] = ()
    ) -> Callable[[Operation], Operation]:
        """Add a GET operation. `files` lists additional media types of the response."""
        return self._add("GET", path, scope, response, extra_schema={"x-files": list(files)} if files else {})

    def post(
        self, path: str, scope: str, response: object = MessageResponse, status: int = 200
    ) -> Callable[[Operation], Operation]:
        return self._add("POST", path, scope, response, status)

    def patch(self, path: str, scope: str, response: object = MessageResponse) -> Callable[[Operation], Operation]:
        return self._add("PATCH", path, scope, response)

    def delete(self, path: str, scope: str) -> Callable[[Operation], Operation]:
        return self._add("DELETE", path, scope, MessageResponse)

    def _add(
        self,
        method: str,
        path: str,
        scope: str,
        response: object,
        status: int = 200,
        extra_schema: Mapping[str, object] = {},
    ) -> Callable[[Operation], Operation]:
        """Add an operation. The first line of its docstring is the summary, the rest is the description."""
        assert scope in SCOPES_BY_KEY or scope == "", scope
        openapi_extra = {**({"x-scope": scope} if scope else {}), **extra_schema}

        def decorate(operation: Operation) -> Operation:
            summary, _, details = (operation.__doc__ or "").strip().partition("\n")
            METHODS_BY_OPERATION[operation.__name__] = method
            self.router.add_api_operation(
                path,
                [method],
                require_scope(scope, operation, status),
                response={status: response},
                operation_id=operation.__name__,
                summary=summary.rstrip("."),
                description=unwrap_paragraphs(details),
                auth=BearerAuth() if scope else None,
                openapi_extra=openapi_extra,
            )
            return operation

        return decorate


def unwrap_paragraphs(text: str) -> str:
    """Return a docstring's paragraphs, each on one line."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.strip().split("\n\n"))


def require_scope(scope: str, operation: Callable[..., object], status: int) -> Callable[..., object]:
    """Wrap an operation to require the scope, refuse unknown input, and respond with the status."""
    known_input = describe_input(operation)

    @wraps(operation)
    def run_operation(request: HttpRequest, *args: object, **kwargs: object) -> object:
        if scope and scope not in request.api_token.scopes:  # type: ignore[attr-defined]
            raise ApiError(
                "insufficient-scope", f"This operation requires the scope {scope}: {SCOPES_BY_KEY[scope].description}."
            )
        refuse_unknown_input(request, known_input, StrictParser().parse_body)
        result = operation(request, *args, **kwargs)
        # Files are complete responses, which no schema serializes.
        return result if isinstance(result, HttpResponseBase) else Status(status, result)

    return run_operation
