"""Parser of run task results, with their limits.

The platform's documents contradict each other. The parser accepts both readings and adds a note: `outcome-id` (API
page, client library) or `outcome_id` (JSON schema); outcomes in relationships (API page) or attributes (integrations
page); 10,000 characters (schema) or 5 MB (API page) of outcome body; tag names with spaces (forbidden by the schema,
used in the API page's example).
"""

import json
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AliasChoices, BaseModel, Field, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from portal.core.json_text import clean_json
from portal.core.value_types import JsonObject
from verification.testruns.kinds.run_task.records import FINAL_STATUSES, ParsedCallback

STATUSES = ("running", *FINAL_STATUSES)
MEGABYTE = 1024 * 1024
MAX_REQUEST_BYTES = 6 * MEGABYTE  # what we accept: one outcome of the maximum size, and the rest
MAX_OUTCOMES = 10
MAX_TAGS = 10
SCHEMA_BODY_CHARACTERS = 10_000
RECOMMENDED_BODY_BYTES = MEGABYTE
MAX_BODY_BYTES = 5 * MEGABYTE
MAX_STORED_CHARACTERS = 300
MAX_STORED_LABELS = 100  # of one outcome
# pydantic's limits count characters, but the limit of an outcome's body is in bytes.
BODY_TOO_LONG = "body_too_long"
NO_LIST = ""  # what cannot be validated as a list of outcomes
LENGTH_ERRORS = ("string_too_long", BODY_TOO_LONG)


def _check_body_size(body: str) -> str:
    size = len(body.encode())
    if size > MAX_BODY_BYTES:
        raise PydanticCustomError(BODY_TOO_LONG, "Body too long", {"size": size})
    return body


Url = Annotated[str, Field(max_length=500)]


class Attributes(BaseModel):
    """Attributes of a result."""

    status: Literal["running", "passed", "failed"]
    # The JSON schema requires at least one character. Both texts are optional on the API page, so empty ones pass, too.
    message: Annotated[str, Field(max_length=1000)] | None = None
    url: Url | None = None


class ResultData(BaseModel):
    """A result without its outcomes."""

    type: Literal["task-results"]
    attributes: Attributes


class Result(BaseModel):
    """The document of a callback."""

    data: ResultData


class TagLabel(BaseModel):
    """A label of a tag."""

    label: Annotated[str, Field(min_length=1, max_length=32)]
    # The API page makes “none” the default.
    level: Literal["none", "info", "warning", "error"] = "none"


# No document limits the labels of a tag, so a body can contain hundreds of thousands. One problem is enough.
TagLabels = Annotated[list[TagLabel], Field(fail_fast=True)]


class OutcomeAttributes(BaseModel):
    """Attributes of an outcome."""

    id: Annotated[str, Field(min_length=1, max_length=64, validation_alias=AliasChoices("outcome-id", "outcome_id"))]
    description: Annotated[str, Field(min_length=1, max_length=1000)]
    body: Annotated[str, AfterValidator(_check_body_size)] | None = None
    url: Url | None = None
    tags: Annotated[dict[str, TagLabels], Field(max_length=MAX_TAGS)] | None = None


class Outcome(BaseModel):
    """An outcome of a result."""

    type: Literal["task-result-outcomes"]
    attributes: OutcomeAttributes


RESULT = TypeAdapter(Result)
OUTCOMES = TypeAdapter(Annotated[list[Outcome], Field(max_length=MAX_OUTCOMES)])


def parse_callback(raw: bytes) -> ParsedCallback:
    """Parse a callback body. Raises nothing."""
    try:
        # The database refuses NUL characters and lone surrogates, which JSON can contain.
        document = clean_json(json.loads(raw.decode("utf-8")))
    except (ValueError, RecursionError):
        return ParsedCallback(form_problems=("The body isn't JSON in UTF-8.",))
    data = _get(document, "data")
    attributes = _get(data, "attributes")
    notes: list[str] = []
    container = _find_outcomes(data, attributes, notes)
    # Outcomes are validated apart: an invalid one must not count as an invalid result, which is another rule.
    form, limits = _validate(RESULT, document, LENGTH_ERRORS)
    shape, outcome_limits = _validate(OUTCOMES, [] if container is None else container, (BODY_TOO_LONG,))
    outcomes = [] if container is None or shape or outcome_limits else OUTCOMES.validate_python(container)
    for number, outcome in enumerate(outcomes, 1):
        notes += _list_notes(outcome.attributes, container[number - 1]["attributes"], f"Outcome {number}")
    message, url = (str(_get(attributes, name) or "")[:MAX_STORED_CHARACTERS] for name in ("message", "url"))
    status = _get(attributes, "status")
    return ParsedCallback(
        status if status in STATUSES else "",
        message,
        url,
        tuple(_serialize_outcome(each.attributes) for each in outcomes),
        form,
        limits + outcome_limits,
        shape,
        tuple(notes),
    )


def _get(container: object, name: str) -> Any:
    return container.get(name) if isinstance(container, dict) else None


def _find_outcomes(data: object, attributes: object, notes: list[str]) -> Any:
    """Return the list of outcomes from any supported location, None without any. It is not validated."""
    relationships = _get(data, "relationships")
    outcomes = relationships.get("outcomes") if isinstance(relationships, dict) else relationships
    if outcomes is not None:
        items = _get(outcomes, "data")
        return NO_LIST if items is None else items
    outcomes = _get(attributes, "outcomes")
    if outcomes is not None:
        notes.append(
            "Outcomes are inside attributes, as on the integrations page. The API page and the client library put "
            "them under relationships."
        )
    items = _get(outcomes, "data")
    return outcomes if items is None else items


def _validate(
    adapter: TypeAdapter[Any], value: object, length_errors: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the problems of a value: those of its form, and those of lengths."""
    try:
        adapter.validate_python(value)
    except ValidationError as error:
        details = error.errors(include_url=False)
        return (
            tuple(_describe(each) for each in details if each["type"] not in length_errors),
            tuple(_describe(each) for each in details if each["type"] in length_errors),
        )
    return (), ()


def _describe(error: ErrorDetails) -> str:
    """Return a sentence for an error of pydantic."""
    kind = error["type"]
    value = error["input"]
    location = error["loc"]
    context = error.get("ctx", {})
    name = _format_location(location)
    if kind in ("missing", "string_too_short"):
        return f"{name} is missing."
    if kind == "literal_error":
        return f"{name} is {quote_value(value)}; it must be {context['expected']}."
    if kind == BODY_TOO_LONG:
        return f"{name} has {context['size']} bytes. The limit is {MAX_BODY_BYTES}."
    if kind == "string_too_long":
        return f"{name} has {len(value)} characters. The limit is {context['max_length']}."
    if kind == "too_long":
        return f"{name} has {len(value)} entries. The limit is {context['max_length']}."
    expected = {"string_type": "text", "list_type": "a list"}.get(kind, "an object")
    advice = "" if location else " Send the outcomes as a list in relationships.outcomes.data."
    return f"{name} isn't {expected}.{advice}"


def _format_location(location: tuple[int | str, ...]) -> str:
    """Return the name of a value: its outcome, its tag, and its field or label."""
    names = []
    last = location[-1] if location else "outcomes"
    if location and isinstance(location[0], int):
        names.append(f"Outcome {location[0] + 1}")
    if location[2:3] == ("tags",) and len(location) > 3:
        names.append(f"the tag {quote_value(location[3])}")
    if isinstance(last, str):
        names.append(quote_value(last))  # the name of a tag can have megabytes
    elif len(location) > 1:
        names.append(f"label {last + 1}")
    return ": ".join(names)


def _list_notes(outcome: OutcomeAttributes, raw: JsonObject, where: str) -> Iterator[str]:
    if "outcome-id" not in raw:
        yield "“outcome_id” is the name in the JSON schema. The API page and the client library use “outcome-id”."
    body = outcome.body or ""
    if len(body) > SCHEMA_BODY_CHARACTERS:
        recommendation = ", and less than 1 MB is recommended" if len(body.encode()) > RECOMMENDED_BODY_BYTES else ""
        yield (
            f"{where}: “body” has {len(body)} characters. The JSON schema allows {SCHEMA_BODY_CHARACTERS}, the API "
            f"page up to 5 MB{recommendation}."
        )
    for name in outcome.tags or ():
        if " " in name:
            yield f"The tag “{name[:40]}” contains a space. The API page has one, too. The JSON schema forbids it."


def _serialize_outcome(outcome: OutcomeAttributes) -> JsonObject:
    """Return what we store of an outcome, with tags such as "Severity: High (error)"."""
    tags = [
        f"{name[:40]}: {each.label} ({each.level})" for name, labels in (outcome.tags or {}).items() for each in labels
    ]
    description = outcome.description[:MAX_STORED_CHARACTERS]
    return {"id": outcome.id, "description": description, "tags": tags[:MAX_STORED_LABELS]}


def quote_value(value: object) -> str:
    """Return a received value, shortened and in quotation marks."""
    return f"“{str(value)[:40]}”" if value is not None else "missing"
