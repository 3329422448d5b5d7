"""Parser of run task results, with their limits. Standard library only.

The platform's documents contradict each other. The parser accepts both readings and adds a note: `outcome-id` (API
page, client library) or `outcome_id` (JSON schema); outcomes in relationships (API page) or attributes (integrations
page); 10,000 characters (schema) or 5 MB (API page) of outcome body; tag names with spaces (forbidden by the schema,
used in the API page's example).
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from portal.core.value_types import JsonObject

STATUSES = ("running", "passed", "failed")
FINAL_STATUSES = ("passed", "failed")
TAG_LEVELS = ("none", "info", "warning", "error")
MEGABYTE = 1024 * 1024
MAX_REQUEST_BYTES = 6 * MEGABYTE  # what we take in: one outcome of that size and all the rest
MAX_MESSAGE_CHARACTERS, MAX_URL_CHARACTERS = 1000, 500
MAX_OUTCOMES, MAX_OUTCOME_ID_CHARACTERS, MAX_DESCRIPTION_CHARACTERS = 10, 64, 1000
SCHEMA_BODY_CHARACTERS, RECOMMENDED_BODY_BYTES, MAX_BODY_BYTES = 10_000, MEGABYTE, 5 * MEGABYTE
MAX_TAGS, MAX_LABEL_CHARACTERS = 10, 32
MAX_STORED_CHARACTERS = 300


@dataclass(slots=True)
class ParsedCallback:
    """A parsed callback. `form`: why it is rejected (422). `limits`: values that are too long. `shape`: problems of
    outcomes and tags. `notes`: contradictions between documents, and the reading that applies.
    """

    status: str = ""
    message: str = ""
    url: str = ""
    outcomes: list[JsonObject] = field(default_factory=list)
    form: list[str] = field(default_factory=list)
    limits: list[str] = field(default_factory=list)
    shape: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def is_taken(self) -> bool:
        return not (self.form or self.limits or self.shape)


def parse_callback(raw: bytes) -> ParsedCallback:
    """Parse a callback body. Raises nothing."""
    callback = ParsedCallback()
    data = _parse_data(raw, callback)
    if data is None:
        return callback
    attributes = data.get("attributes")
    if not isinstance(attributes, dict):
        callback.form.append("“data.attributes” is missing or isn't an object.")
        return callback
    _parse_attributes(attributes, callback)
    for index, outcome in enumerate(_find_outcomes(data, attributes, callback), 1):
        _parse_outcome(outcome, index, callback)
    return callback


def _parse_data(raw: bytes, callback: ParsedCallback) -> dict[str, object] | None:
    try:
        document = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError):
        callback.form.append("The body isn't JSON in UTF-8.")
        return None
    data = document.get("data") if isinstance(document, dict) else None
    if not isinstance(data, dict):
        callback.form.append("The body has no object “data”.")
        return None
    if data.get("type") != "task-results":
        callback.form.append(f"“data.type” is {quote_value(data.get('type'))}; it must be “task-results”.")
    return data


def _parse_attributes(attributes: Mapping[str, object], callback: ParsedCallback) -> None:
    status = attributes.get("status")
    if status in STATUSES:
        callback.status = str(status)
    else:
        callback.form.append(f"“status” is {quote_value(status)}; it must be one of {', '.join(STATUSES)}.")
    callback.message = _parse_text(attributes.get("message"), "“message”", MAX_MESSAGE_CHARACTERS, callback)
    callback.url = _parse_text(attributes.get("url"), "“url”", MAX_URL_CHARACTERS, callback)


def _parse_text(value: object, name: str, limit: int, callback: ParsedCallback) -> str:
    """Return an optional text, shortened, and record it if it exceeds the limit."""
    if value is None:
        return ""
    if not isinstance(value, str):
        callback.form.append(f"{name} isn't text.")
        return ""
    if len(value) > limit:
        callback.limits.append(f"{name} has {len(value)} characters. The limit is {limit}.")
    return value[:MAX_STORED_CHARACTERS]


def _read_relationship(data: Mapping[str, object], callback: ParsedCallback) -> dict[str, object] | None:
    """Return the outcomes in relationships, where the API page puts them."""
    value: Any = data
    for name in ("relationships", "outcomes"):
        value = value.get(name)
        if value is None:
            return None
        if not isinstance(value, dict):
            callback.shape.append(
                f"“{name}” is not an object. Send the outcomes as a list in relationships.outcomes.data."
            )
            return None
    return value


def _find_outcomes(
    data: Mapping[str, object], attributes: JsonObject, callback: ParsedCallback
) -> list[dict[str, object]]:
    """Return the outcomes from any supported location."""
    container = _read_relationship(data, callback)
    if container is None and "outcomes" in attributes:
        container = attributes["outcomes"]
        callback.notes.append(
            "Outcomes stand inside attributes, as the integrations page shows them; the API page and "
            "the client library put them under relationships."
        )
    if container is None:
        return []
    outcomes = container.get("data") if isinstance(container, dict) else container
    if not isinstance(outcomes, list) or not all(isinstance(each, dict) for each in outcomes):
        callback.shape.append("“outcomes.data” isn't a list of objects.")
        return []
    if len(outcomes) > MAX_OUTCOMES:
        callback.shape.append(f"The result has {len(outcomes)} outcomes. The limit is {MAX_OUTCOMES}.")
    return outcomes[:MAX_OUTCOMES]


def _parse_outcome(outcome: Mapping[str, object], index: int, callback: ParsedCallback) -> None:
    """Parse one outcome: type, texts and tags."""
    where = f"Outcome {index}"
    if outcome.get("type") != "task-result-outcomes":
        callback.shape.append(
            f"{where} is of type {quote_value(outcome.get('type'))}; it must be “task-result-outcomes”."
        )
    attributes = outcome.get("attributes")
    if not isinstance(attributes, dict):
        callback.shape.append(f"{where} has no attributes.")
        return
    if "outcome-id" not in attributes and "outcome_id" in attributes:
        callback.notes.append(
            "“outcome_id” is the JSON schema's word; the API page and the client library say “outcome-id”."
        )
    id_ = attributes.get("outcome-id", attributes.get("outcome_id"))
    callback.shape.extend(_validate_text(id_, f"{where}: “outcome-id”", MAX_OUTCOME_ID_CHARACTERS))
    callback.shape.extend(
        _validate_text(attributes.get("description"), f"{where}: “description”", MAX_DESCRIPTION_CHARACTERS)
    )
    _validate_body(attributes.get("body"), where, callback)
    url = attributes.get("url")
    if url is not None and (not isinstance(url, str) or len(url) > MAX_URL_CHARACTERS):
        callback.shape.append(f"{where}: “url” isn't text of at most {MAX_URL_CHARACTERS} characters.")
    tags = list(_parse_tags(attributes.get("tags"), where, callback))
    callback.outcomes.append(
        {
            "id": str(id_)[:MAX_OUTCOME_ID_CHARACTERS],
            "description": str(attributes.get("description"))[:MAX_STORED_CHARACTERS],
            "tags": tags,
        }
    )


def _validate_text(value: object, name: str, limit: int) -> list[str]:
    if not isinstance(value, str) or not value:
        return [f"{name} is missing."]
    return [f"{name} has {len(value)} characters. The limit is {limit}."] if len(value) > limit else []


def _validate_body(body: object, where: str, callback: ParsedCallback) -> None:
    if body is None:
        return
    if not isinstance(body, str):
        callback.shape.append(f"{where}: “body” isn't text.")
        return
    size = len(body.encode("utf-8", "replace"))
    if size > MAX_BODY_BYTES:
        callback.limits.append(f"{where}: “body” has {size} bytes. The limit is {MAX_BODY_BYTES}.")
    elif len(body) > SCHEMA_BODY_CHARACTERS:
        recommendation = ", and less than 1 MB is recommended" if size > RECOMMENDED_BODY_BYTES else ""
        callback.notes.append(
            f"{where}: “body” has {len(body)} characters. The JSON schema allows {SCHEMA_BODY_CHARACTERS}, the API "
            f"page up to 5 MB{recommendation}."
        )


def _parse_tags(tags: object, where: str, callback: ParsedCallback) -> Iterator[str]:
    """Return each tag as "Severity: High (error)"."""
    if tags is None:
        return
    if not isinstance(tags, dict):
        callback.shape.append(f"{where}: “tags” isn't an object of lists.")
        return
    if len(tags) > MAX_TAGS:
        callback.shape.append(f"{where}: the outcome has {len(tags)} tags. The limit is {MAX_TAGS}.")
    for name, labels in list(tags.items())[:MAX_TAGS]:
        if " " in name:
            callback.notes.append(
                f"The tag “{name[:40]}” has a space, which the API page shows and the JSON schema forbids."
            )
        yield from _parse_labels(name, labels, where, callback)


def _parse_labels(name: str, labels: object, where: str, callback: ParsedCallback) -> Iterator[str]:
    tag = f"{where}: the tag “{name[:40]}”"
    if not isinstance(labels, list) or not all(isinstance(each, dict) for each in labels):
        callback.shape.append(f"{tag} isn't a list of objects with a label.")
        return
    for each in labels[:MAX_TAGS]:
        callback.shape.extend(_validate_text(each.get("label"), f"{tag}: “label”", MAX_LABEL_CHARACTERS))
        level = each.get("level", "none")
        if level not in TAG_LEVELS:
            callback.shape.append(
                f"{tag} has the level {quote_value(level)}; it must be one of {', '.join(TAG_LEVELS)}."
            )
        yield f"{name[:40]}: {str(each.get('label'))[:MAX_LABEL_CHARACTERS]} ({str(level)[:10]})"


def quote_value(value: object) -> str:
    """Return a received value, shortened and in quotation marks."""
    return f"“{str(value)[:40]}”" if value is not None else "missing"
