"""API version 1: routers, error handling, and the OpenAPI 3.1 document."""

from functools import cache

from django.conf import settings
from ninja import NinjaAPI

from portal.api import problems
from portal.api.docs import page_only_features
from portal.api.docs.examples import EXAMPLES
from portal.api.idempotency import IDEMPOTENCY_KEY_HEADER
from portal.api.routing import StrictParser
from portal.api.v1 import (
    analytics,
    checks,
    drafts,
    integrations,
    introductions,
    me,
    notifications,
    others,
    partners,
    programs,
    provider_schemas,
    requirements,
    reviews,
    sla,
    test_runs,
    webhook_creation,
)
from portal.core.value_types import JsonObject

API_DESCRIPTION = f"""The API covers what partners and program staff do on pages, with the same rules.

Send a token: `Authorization: Bearer ptl_…`. Create one under “API tokens” in your profile or your company.

Available on pages only:

{page_only_features.render_markdown_list()}"""
ROUTERS = (
    me.router,
    programs.router,
    drafts.router,
    integrations.router,
    requirements.router,
    checks.router,
    test_runs.router,
    provider_schemas.router,
    reviews.router,
    sla.router,
    partners.router,
    introductions.router,
    others.router,
    notifications.router,
    webhook_creation.router,
    analytics.router,
    others.public_router,
)
API_VERSION = "1"
API_PREFIX = f"api/v{API_VERSION}"
WRITE_METHODS = ("post", "patch", "put", "delete")
SCOPELESS_OPERATIONS = frozenset({"get_me"})  # require a token without a scope
COMMON_RESPONSES = {
    "400": "The body is not JSON.",
    "401": "The token is missing or invalid.",
    "403": "The user or the token lacks permission.",
    "404": "The resource doesn't exist, or you don't have access.",
    "409": "The action conflicts with the current state.",
    "411": "The Content-Length header is missing.",
    "412": "The resource changed since you read it.",
    "413": "The body is too large.",
    "415": "The body is not JSON.",
    "422": "The request is invalid. The response names each field.",
    "429": "Too many requests. Retry after the time in Retry-After.",
    "503": "The database is busy. Retry after the time in Retry-After.",
}
PROBLEM_SCHEMA = {
    "type": "object",
    "description": "Problem details (RFC 9457).",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string", "format": "uri"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "Message that is safe to display."},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["field", "message"],
                "properties": {"field": {"type": "string"}, "message": {"type": "string"}},
            },
        },
    },
}
IF_MATCH_DESCRIPTION = "ETag of the version that you read. If the resource has changed, the response is 412."
RATE_LIMIT_HEADERS = ("RateLimit", "RateLimit-Policy")
HEADER_DESCRIPTIONS = {
    "RateLimit": 'Remaining requests and seconds of the current minute: "default";r=297;t=42',
    "RateLimit-Policy": 'Requests per minute: "default";q=300;w=60',
    "Retry-After": "Seconds to wait.",
    "WWW-Authenticate": 'Bearer, with error="invalid_token" if the token is unknown, revoked, or expired.',
}
HEADERS_BY_STATUS = {
    "401": (*RATE_LIMIT_HEADERS, "WWW-Authenticate"),
    "429": (*RATE_LIMIT_HEADERS, "Retry-After"),
    "503": ("Retry-After",),
}
IDEMPOTENCY_KEY_PARAMETER = {
    "name": IDEMPOTENCY_KEY_HEADER,
    "in": "header",
    "required": False,
    "description": "Unique text for each request. A repeated request gets the first response for 24 hours.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 128, "pattern": "^[ -~]+$"},
}


def build_api() -> NinjaAPI:
    api = NinjaAPI(
        title="Partner portal",
        version=API_VERSION,
        description=API_DESCRIPTION,
        docs_url=None,
        openapi_url=None,
        urls_namespace="api",
        parser=StrictParser(),
    )
    problems.register_exception_handlers(api)
    for router in ROUTERS:
        api.add_router("", router.router)
    return api


api = build_api()


@cache
def build_document() -> JsonObject:
    """Return the OpenAPI document with the responses and headers that all operations share."""
    document_data: JsonObject = dict(api.get_openapi_schema(path_prefix=f"{API_PREFIX}/"))
    document_data["servers"] = [{"url": settings.SITE_URL}]
    components = document_data.setdefault("components", {})
    components.setdefault("schemas", {})["Problem"] = PROBLEM_SCHEMA
    components["responses"] = {
        f"Problem{status}": {
            "description": description,
            "content": {problems.PROBLEM_CONTENT_TYPE: {"schema": build_reference("schemas/Problem")}},
            "headers": {
                name: build_reference(f"headers/{name}") for name in HEADERS_BY_STATUS.get(status, RATE_LIMIT_HEADERS)
            },
        }
        for status, description in COMMON_RESPONSES.items()
    }
    components["headers"] = {
        name: {"description": description, "schema": {"type": "string"}}
        for name, description in HEADER_DESCRIPTIONS.items()
    }
    components["parameters"] = {"IdempotencyKey": IDEMPOTENCY_KEY_PARAMETER}
    components["securitySchemes"] = {"Bearer": {"type": "http", "scheme": "bearer"}}
    for methods in document_data["paths"].values():
        for method, operation in methods.items():
            _complete_operation(method, operation)
    return document_data


def build_reference(path: str) -> dict[str, str]:
    return {"$ref": f"#/components/{path}"}


def _complete_operation(method: str, operation: JsonObject) -> None:
    for status in COMMON_RESPONSES:
        operation["responses"].setdefault(status, build_reference(f"responses/Problem{status}"))
    _add_descriptions(method, operation)
    for kind in operation.get("x-files", ()):
        operation["responses"][200]["content"][kind] = {"schema": {"type": "string", "format": "binary"}}
    operation["responses"] = {str(status): response for status, response in operation["responses"].items()}
    if method in WRITE_METHODS:
        operation.setdefault("parameters", []).append(build_reference("parameters/IdempotencyKey"))
    if "x-scope" in operation or operation["operationId"] in SCOPELESS_OPERATIONS:
        operation["security"] = [{"Bearer": []}]
    else:
        operation["security"] = [{}, {"Bearer": []}]


def _add_descriptions(method: str, operation: JsonObject) -> None:
    """Add an example and descriptions of conditional requests."""
    if method == "get":
        operation["responses"][304] = {"description": "The resource matches the ETag in If-None-Match."}
        operation["responses"][414] = {"description": "The URL is too long. The web server sends this response."}
    for parameter in operation.get("parameters", []):
        if parameter.get("name") == "If-Match":
            parameter["description"] = IF_MATCH_DESCRIPTION
    if operation["operationId"] in EXAMPLES:
        operation["requestBody"]["content"]["application/json"]["example"] = EXAMPLES[operation["operationId"]]
