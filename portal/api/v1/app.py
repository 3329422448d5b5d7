"""What is the API made of? Its rooms, its parser, its answers to what goes wrong, and its document (OpenAPI 3.1)."""

from functools import cache
from typing import Any

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

API_DESCRIPTION = f"""What a partner or a person of the program does in pages, with the same rules.

Send a token: `Authorization: Bearer ptl_…`. Make one under “API tokens” of your profile or your company.

What stays in pages alone:

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
SCOPELESS_OPERATIONS = frozenset({"get_me"})  # any token will do, and one is needed
COMMON_RESPONSES = {
    "400": "The body is no JSON.",
    "401": "No live token.",
    "403": "Not for this person, or not within the token's scopes.",
    "404": "Not here, or not yours to see.",
    "409": "Not now: the sentence says why.",
    "411": "The length of the body is not said.",
    "412": "Changed since it was read.",
    "413": "Too large.",
    "415": "Not JSON.",
    "422": "Something in the request does not fit; each field is named.",
    "429": "Too many requests: Retry-After says when to go on.",
    "503": "The database is busy: Retry-After says when to go on.",
}
PROBLEM_SCHEMA = {
    "type": "object",
    "description": "What went wrong (RFC 9457).",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string", "format": "uri"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "A sentence fit to show."},
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
IF_MATCH_DESCRIPTION = "The ETag that was read: what was changed since is not overwritten, the answer is 412."
RATE_LIMIT_HEADERS = ("RateLimit", "RateLimit-Policy")
HEADER_DESCRIPTIONS = {
    "RateLimit": 'What is left of the minute, and the seconds to its end: "default";r=297;t=42',
    "RateLimit-Policy": 'How many requests a minute there are: "default";q=300;w=60',
    "Retry-After": "Seconds to wait.",
    "WWW-Authenticate": 'Bearer; with error="invalid_token" where the token is unknown, revoked or at its end.',
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
    "description": "Any text of yours, new for each piece of work: sent again, it gets the first answer for a day.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 128, "pattern": "^[ -~]+$"},
}


def build_api() -> NinjaAPI:
    api = NinjaAPI(
        title="Partner portal", version=API_VERSION, description=API_DESCRIPTION, docs_url=None, openapi_url=None,
        urls_namespace="api", parser=StrictParser(),
    )  # fmt: skip
    problems.register_exception_handlers(api)
    for router in ROUTERS:
        api.add_router("", router.router)
    return api


api = build_api()


@cache
def build_document() -> dict[str, Any]:
    """The OpenAPI document, with the answers and headers that every operation shares."""
    document_data: dict[str, Any] = dict(api.get_openapi_schema(path_prefix=f"{API_PREFIX}/"))
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


def _complete_operation(method: str, operation: dict[str, Any]) -> None:
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


def _add_descriptions(method: str, operation: dict[str, Any]) -> None:
    """What helps whoever reads it: an example, when there is nothing new, what If-Match is for."""
    if method == "get":
        operation["responses"][304] = {"description": "It is what the ETag in If-None-Match names."}
        operation["responses"][414] = {"description": "The address is too long: the web server says so itself."}
    for parameter in operation.get("parameters", []):
        if parameter.get("name") == "If-Match":
            parameter["description"] = IF_MATCH_DESCRIPTION
    if operation["operationId"] in EXAMPLES:
        operation["requestBody"]["content"]["application/json"]["example"] = EXAMPLES[operation["operationId"]]
