"""Content of the API reference page, built from the OpenAPI document."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.utils.html import format_html, format_html_join

from portal.api.docs.page_only_features import PAGE_ONLY_FEATURES
from portal.api.problems import PROBLEM_TYPES
from portal.api.routing import unwrap_paragraphs
from portal.api.scopes import SCOPES
from portal.api.v1.app import API_PREFIX, build_document

METHODS = ("get", "post", "patch", "put", "delete")


@dataclass(frozen=True, slots=True)
class ReferenceField:
    """Parameter, or field of a body."""

    name: str
    kind: str
    is_required: bool
    description: str
    location: str = ""


@dataclass(frozen=True, slots=True)
class ReferenceOperation:
    """Operation with the schema names of its request (`body`) and response (`answer`), or empty strings."""

    id: str
    method: str
    path: str
    summary: str
    description: str
    scope: str
    parameters: tuple[ReferenceField, ...]
    body: str
    body_description: str
    fields: tuple[ReferenceField, ...]
    media: str
    status: str
    answer: str
    answer_description: str
    answer_fields: tuple[ReferenceField, ...]
    example: str

    @property
    def response_caption(self) -> str:
        """Return the caption of the response fields."""
        caption = f"Response {self.status} of {self.id}"
        return f"{caption}: {self.answer}" if self.answer else caption


@dataclass(frozen=True, slots=True)
class ReferenceGroup:
    name: str
    operations: tuple[ReferenceOperation, ...]

    @property
    def anchor(self) -> str:
        return re.sub(r"[^a-z]+", "-", self.name.lower()).strip("-")


def list_groups() -> list[ReferenceGroup]:
    """Return the operations by tag, in the order of the document."""
    operations_by_tag: dict[str, list[ReferenceOperation]] = {}
    document_data = build_document()
    for path, methods in document_data["paths"].items():
        for method in METHODS:
            if method in methods:
                operation = _build_operation(document_data, path, method, methods[method])
                operations_by_tag.setdefault(methods[method]["tags"][0], []).append(operation)
    return [ReferenceGroup(name, tuple(operations)) for name, operations in operations_by_tag.items()]


def _build_operation(
    document_data: Mapping[str, Any], path: str, method: str, operation_data: Mapping[str, Any]
) -> ReferenceOperation:
    media, request_schema = _get_content(operation_data.get("requestBody", {}))
    status, response = next(
        (code, content) for code, content in operation_data["responses"].items() if code.startswith("2")
    )
    response_schema, fields = _get_content(response)[1], _build_fields(document_data, request_schema)
    item_schema = _resolve_item_schema(document_data, response_schema)
    return ReferenceOperation(
        id=operation_data["operationId"],
        method=method.upper(),
        path=path,
        summary=render_inline_code(operation_data["summary"]),
        description=_build_description(operation_data),
        scope=operation_data.get("x-scope", ""),
        parameters=tuple(
            _build_parameter(document_data, parameter)
            for parameter in operation_data.get("parameters", [])
            if "$ref" not in parameter
        ),
        body=_get_schema_name(request_schema),
        body_description=_render_description(_resolve_schema(document_data, request_schema)),
        fields=fields,
        media=media if "json" not in media else "",
        status=status,
        answer=_get_schema_name(response_schema),
        answer_description=_render_description(item_schema),
        answer_fields=tuple(
            replace(field, is_required=False) for field in _build_fields(document_data, response_schema)
        ),
        example=_build_example(document_data, path, method, operation_data, fields),
    )


def _build_description(operation_data: Mapping[str, Any]) -> str:
    """Return the description, or an empty string if it only repeats the summary."""
    description = str(operation_data.get("description", ""))
    return "" if description.rstrip(".") == operation_data["summary"].rstrip(".") else render_inline_code(description)


def render_inline_code(text: str) -> str:
    """Render text between backticks as code."""
    parts = text.split("`")
    html = [format_html("<code>{}</code>" if number % 2 else "{}", part) for number, part in enumerate(parts)]
    return format_html_join("", "{}", ((part,) for part in html))


def _get_content(body_data: Mapping[str, Any]) -> tuple[str, dict[str, object]]:
    """Return the media type and schema of a body, or empty values."""
    for media, content in body_data.get("content", {}).items():
        return media, content.get("schema", {})
    return "", {}


def _build_parameter(document_data: Mapping[str, object], parameter: Mapping[str, Any]) -> ReferenceField:
    description = render_inline_code(parameter.get("description", ""))
    return ReferenceField(
        parameter["name"],
        _get_type_name(parameter.get("schema", {})),
        bool(parameter.get("required")),
        description,
        parameter["in"],
    )


def _resolve_schema(document_data: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Resolve references and arrays to the schema of their items."""
    if "$ref" in schema:
        return _resolve_schema(document_data, document_data["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]])
    if schema.get("type") == "array":
        return _resolve_schema(document_data, schema.get("items", {}))
    return schema


def _resolve_item_schema(document_data: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Resolve a schema, and a page of a list to the schema of its items."""
    resolved_schema = _resolve_schema(document_data, schema)
    items = resolved_schema.get("properties", {}).get("items")
    return (
        _resolve_schema(document_data, items)
        if items is not None and "next" in resolved_schema["properties"]
        else resolved_schema
    )


def _render_description(schema: Mapping[str, object]) -> str:
    """Render the description of a schema."""
    return render_inline_code(unwrap_paragraphs(str(schema.get("description", ""))))


def _build_fields(document_data: Mapping[str, Any], schema: Mapping[str, Any]) -> tuple[ReferenceField, ...]:
    resolved_schema = _resolve_item_schema(document_data, schema)
    required_names = resolved_schema.get("required", [])
    return tuple(
        ReferenceField(
            name,
            _get_type_name(property_schema),
            name in required_names,
            render_inline_code(property_schema.get("description", "")),
        )
        for name, property_schema in resolved_schema.get("properties", {}).items()
    )


def _get_schema_name(schema: Mapping[str, Any]) -> str:
    """Return the name of a schema, such as “IntegrationOut”, “list of StepOut”, or “page of EventOut”."""
    if schema.get("type") == "array":
        return f"list of {_get_schema_name(schema.get('items', {}))}"
    name = schema.get("$ref", "").rsplit("/", 1)[-1]
    page_match = re.fullmatch(r"CursorPage_(\w+)_", name)
    return f"page of {page_match[1]}" if page_match else name or str(schema.get("type", ""))


def _get_type_name(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_get_type_name(option) for option in schema["anyOf"] if option.get("type") != "null")
    if "$ref" in schema or schema.get("type") == "array":
        return _get_schema_name(schema)
    return str(schema.get("format") or schema.get("type") or "any")


def _build_example(
    document_data: Mapping[str, Any],
    path: str,
    method: str,
    operation_data: Mapping[str, object],
    fields: tuple[ReferenceField, ...],
) -> str:
    """Return an example curl command."""
    server = document_data["servers"][0]["url"]
    display_path = re.sub(r"{(\w+)}", lambda match: f"${match[1].upper()}", path)
    lines = [f'curl "{server}{display_path}"']
    if "x-scope" in operation_data:
        lines.append('-H "Authorization: Bearer $PORTAL_TOKEN"')
    if method != "get":
        lines[0] = lines[0].replace("curl ", f"curl -X {method.upper()} ")
        lines.append('-H "Idempotency-Key: $(uuidgen)"')
    lines += _build_body_options(operation_data, fields)
    return " \\\n  ".join(lines)


def _build_body_options(operation_data: Mapping[str, Any], fields: tuple[ReferenceField, ...]) -> list[str]:
    """Return the curl options for the body: form fields, or the example from the document."""
    content = operation_data.get("requestBody", {}).get("content", {})
    if "multipart/form-data" in content:
        values = {field.name: "@log.txt" if field.kind == "binary" else "…" for field in fields if field.is_required}
        return [f'-F "{name}={value}"' for name, value in values.items()]
    if not content:
        return []
    body = json.dumps(content["application/json"].get("example", {}), ensure_ascii=False)
    return ["--json '" + body.replace("'", "'\\''") + "'"]


def build_first_request() -> str:
    """Return an example of a first request."""
    return f'curl "{settings.SITE_URL}/{API_PREFIX}/me" \\\n  -H "Authorization: Bearer $PORTAL_TOKEN"'


def list_problem_types() -> list[tuple[str, int, str]]:
    """Return (type, status, title) of all problem types."""
    return [(kind, status, title) for kind, (status, title) in PROBLEM_TYPES.items()]


def list_page_only_features() -> list[tuple[str, str]]:
    """Return (feature, reason) of all page-only features."""
    return [(feature.name, feature.reason) for feature in PAGE_ONLY_FEATURES]


def list_scopes() -> list[tuple[str, str, str]]:
    """Return (scope, description, eligible tokens)."""
    return [
        (
            scope.key,
            scope.description,
            "Program staff" if scope.program else "Personal tokens" if scope.owner else "All tokens",
        )
        for scope in SCOPES
    ]
