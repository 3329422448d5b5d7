"""What does the reference page say of each operation? The OpenAPI document as rows for a template."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.utils.html import format_html, format_html_join

from portal.api.docs.page_only_features import PAGES_ONLY
from portal.api.problems import KINDS
from portal.api.routing import unwrapped
from portal.api.scopes import SCOPES
from portal.api.v1.app import PREFIX, document

METHODS = ("get", "post", "patch", "put", "delete")


@dataclass(frozen=True, slots=True)
class Field:
    """One parameter or one field of a body."""

    name: str
    kind: str
    needed: bool
    says: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation. `body` and `answer`: the names of their shapes, blank for none."""

    id: str
    method: str
    path: str
    summary: str
    description: str
    scope: str
    parameters: tuple[Field, ...]
    body: str
    body_says: str
    fields: tuple[Field, ...]
    media: str
    status: str
    answer: str
    answer_says: str
    answer_fields: tuple[Field, ...]
    example: str

    @property
    def said(self) -> str:
        """What is answered, as the caption of its fields."""
        said = f"Answer {self.status} of {self.id}"
        return f"{said}: {self.answer}" if self.answer else said


@dataclass(frozen=True, slots=True)
class Group:
    name: str
    operations: tuple[Operation, ...]

    @property
    def anchor(self) -> str:
        return re.sub(r"[^a-z]+", "-", self.name.lower()).strip("-")


def groups() -> list[Group]:
    """The operations by room, in the order of the document."""
    found: dict[str, list[Operation]] = {}
    told = document()
    for path, methods in told["paths"].items():
        for method in METHODS:
            if method in methods:
                operation = _operation(told, path, method, methods[method])
                found.setdefault(methods[method]["tags"][0], []).append(operation)
    return [Group(name, tuple(operations)) for name, operations in found.items()]


def _operation(told: Mapping[str, Any], path: str, method: str, said: Mapping[str, Any]) -> Operation:
    media, sent = _content(said.get("requestBody", {}))
    status, answer = next((s, a) for s, a in said["responses"].items() if s.startswith("2"))
    answered, fields = _content(answer)[1], _fields(told, sent)
    shape = _listed(told, answered)
    return Operation(
        id=said["operationId"], method=method.upper(), path=path, summary=coded(said["summary"]),
        description=_more(said), scope=said.get("x-scope", ""),
        parameters=tuple(_parameter(told, each) for each in said.get("parameters", []) if "$ref" not in each),
        body=_name(sent), body_says=_says(_followed(told, sent)), fields=fields,
        media=media if "json" not in media else "",
        status=status, answer=_name(answered), answer_says=_says(shape),
        answer_fields=tuple(replace(field, needed=False) for field in _fields(told, answered)),
        example=_example(told, path, method, said, fields),
    )  # fmt: skip


def _more(said: Mapping[str, Any]) -> str:
    """What the description says beyond the summary."""
    described = str(said.get("description", ""))
    return "" if described.rstrip(".") == said["summary"].rstrip(".") else coded(described)


def coded(text: str) -> str:
    """What stands between backticks as code, all else as text."""
    parts = text.split("`")
    html = [format_html("<code>{}</code>" if number % 2 else "{}", part) for number, part in enumerate(parts)]
    return format_html_join("", "{}", ((part,) for part in html))


def _content(said: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The media type of a body and its schema; blank for none."""
    for media, content in said.get("content", {}).items():
        return media, content.get("schema", {})
    return "", {}


def _parameter(told: Mapping[str, Any], said: Mapping[str, Any]) -> Field:
    says = coded(said.get("description", ""))
    return Field(said["name"], _kind(said.get("schema", {})), bool(said.get("required")), says, said["in"])


def _followed(told: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The shape itself: through a reference, and through a list to what it lists."""
    if "$ref" in schema:
        return _followed(told, told["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]])
    if schema.get("type") == "array":
        return _followed(told, schema.get("items", {}))
    return schema


def _listed(told: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The shape itself, through the page of a list to what is listed."""
    shape = _followed(told, schema)
    items = shape.get("properties", {}).get("items")
    return _followed(told, items) if items is not None and "next" in shape["properties"] else shape


def _says(shape: Mapping[str, Any]) -> str:
    """What a shape's docstring says of its fields."""
    return coded(unwrapped(str(shape.get("description", ""))))


def _fields(told: Mapping[str, Any], schema: Mapping[str, Any]) -> tuple[Field, ...]:
    shape = _listed(told, schema)
    needed = shape.get("required", [])
    return tuple(
        Field(name, _kind(said), name in needed, coded(said.get("description", "")))
        for name, said in shape.get("properties", {}).items()
    )


def _name(schema: Mapping[str, Any]) -> str:
    """What a shape is called: “IntegrationOut”, “list of StepOut”, “page of EventOut”."""
    if schema.get("type") == "array":
        return f"list of {_name(schema.get('items', {}))}"
    name = schema.get("$ref", "").rsplit("/", 1)[-1]
    paged = re.fullmatch(r"Page_(\w+)_", name)
    return f"page of {paged[1]}" if paged else name or str(schema.get("type", ""))


def _kind(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_kind(each) for each in schema["anyOf"] if each.get("type") != "null")
    if "$ref" in schema or schema.get("type") == "array":
        return _name(schema)
    return str(schema.get("format") or schema.get("type") or "any")


def _example(
    told: Mapping[str, Any], path: str, method: str, said: Mapping[str, Any], fields: tuple[Field, ...]
) -> str:
    """A line for a terminal."""
    server = told["servers"][0]["url"]
    shown = re.sub(r"{(\w+)}", lambda found: f"${found[1].upper()}", path)
    lines = [f'curl "{server}{shown}"']
    if "x-scope" in said:
        lines.append('-H "Authorization: Bearer $PORTAL_TOKEN"')
    if method != "get":
        lines[0] = lines[0].replace("curl ", f"curl -X {method.upper()} ")
        lines.append('-H "Idempotency-Key: $(uuidgen)"')
    lines += _sent(said, fields)
    return " \\\n  ".join(lines)


def _sent(said: Mapping[str, Any], fields: tuple[Field, ...]) -> list[str]:
    """The options of curl that send a body: a form's fields, or the example in the document."""
    content = said.get("requestBody", {}).get("content", {})
    if "multipart/form-data" in content:
        given = {field.name: "@log.txt" if field.kind == "binary" else "…" for field in fields if field.needed}
        return [f'-F "{name}={value}"' for name, value in given.items()]
    if not content:
        return []
    body = json.dumps(content["application/json"].get("example", {}), ensure_ascii=False)
    return ["--json '" + body.replace("'", "'\\''") + "'"]


def begin() -> str:
    """The first request of anybody."""
    return f'curl "{settings.SITE_URL}/{PREFIX}/me" \\\n  -H "Authorization: Bearer $PORTAL_TOKEN"'


def problems() -> list[tuple[str, int, str]]:
    """(kind, status, title) of everything that can go wrong."""
    return [(kind, status, title) for kind, (status, title) in KINDS.items()]


def pages_only() -> list[tuple[str, str]]:
    """(what, why) of all that no operation does."""
    return [(only.what, only.why) for only in PAGES_ONLY]


def scopes() -> list[tuple[str, str, str]]:
    """(scope, what it lets through, who can hold it)."""
    return [
        (s.key, s.does, "people of the program" if s.program else "personal tokens" if s.owner else "every token")
        for s in SCOPES
    ]
