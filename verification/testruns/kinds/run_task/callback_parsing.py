"""What does a result that came back say, and does it keep within the limits? Standard library only.

Where the documents contradict each other we take the wider reading and say so in a note: `outcome-id` (the API page and
the client library) or `outcome_id` (the JSON schema); outcomes under relationships (API page) or inside attributes
(integrations page); a body of 10,000 characters (schema) or up to 5 MB (API page); tag names with spaces (forbidden by
the schema, used by the API page's own example).
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

STATUSES = ("running", "passed", "failed")
FINAL = ("passed", "failed")
LEVELS = ("none", "info", "warning", "error")
MEGABYTE = 1024 * 1024
MOST_READ = 6 * MEGABYTE  # what we take in: one outcome of that size and all the rest
MOST_MESSAGE, MOST_URL = 1000, 500
MOST_OUTCOMES, MOST_ID, MOST_DESCRIPTION = 10, 64, 1000
SCHEMA_BODY, GOOD_BODY, MOST_BODY = 10_000, MEGABYTE, 5 * MEGABYTE
MOST_TAGS, MOST_LABEL = 10, 32
SHOWN = 300


@dataclass(slots=True)
class Said:
    """A callback as read. `form`: why it cannot be taken (422); `limits`: what is longer than allowed; `shape`: what is
    wrong with outcomes and tags; `notes`: where documents contradict each other, and which reading it follows.
    """

    status: str = ""
    message: str = ""
    url: str = ""
    outcomes: list[dict[str, Any]] = field(default_factory=list)
    form: list[str] = field(default_factory=list)
    limits: list[str] = field(default_factory=list)
    shape: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def is_taken(self) -> bool:
        return not (self.form or self.limits or self.shape)


def read(raw: bytes) -> Said:
    """The callback that these bytes are; raises nothing."""
    said = Said()
    data = _data(raw, said)
    if data is None:
        return said
    attributes = data.get("attributes")
    if not isinstance(attributes, dict):
        said.form.append("“data.attributes” is missing or is no object.")
        return said
    _attributes(attributes, said)
    for index, outcome in enumerate(_outcomes(data, attributes, said), 1):
        _outcome(outcome, index, said)
    return said


def _data(raw: bytes, said: Said) -> dict[str, Any] | None:
    try:
        document = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError):
        said.form.append("The body is not JSON in UTF-8.")
        return None
    data = document.get("data") if isinstance(document, dict) else None
    if not isinstance(data, dict):
        said.form.append("The body has no object “data”.")
        return None
    if data.get("type") != "task-results":
        said.form.append(f"“data.type” is {shown(data.get('type'))}; it must be “task-results”.")
    return data


def _attributes(attributes: dict[str, Any], said: Said) -> None:
    status = attributes.get("status")
    if status in STATUSES:
        said.status = str(status)
    else:
        said.form.append(f"“status” is {shown(status)}; it must be one of {', '.join(STATUSES)}.")
    said.message = _text(attributes.get("message"), "“message”", MOST_MESSAGE, said)
    said.url = _text(attributes.get("url"), "“url”", MOST_URL, said)


def _text(value: Any, name: str, most: int, said: Said) -> str:
    """A text that may be left out, and is not longer than that; what is kept of it is short."""
    if value is None:
        return ""
    if not isinstance(value, str):
        said.form.append(f"{name} is no text.")
        return ""
    if len(value) > most:
        said.limits.append(f"{name} has {len(value)} characters; {most} are allowed.")
    return value[:SHOWN]


def _read_relationship(data: dict[str, Any], said: Said) -> dict[str, Any] | None:
    """Return what stands under relationships, where the API page puts outcomes."""
    value: Any = data
    for name in ("relationships", "outcomes"):
        value = value.get(name)
        if value is None:
            return None
        if not isinstance(value, dict):
            said.shape.append(f"“{name}” is not an object. Send the outcomes as a list in relationships.outcomes.data.")
            return None
    return value


def _outcomes(data: dict[str, Any], attributes: dict[str, Any], said: Said) -> list[dict[str, Any]]:
    """The outcomes, wherever they stand."""
    found = _read_relationship(data, said)
    if found is None and "outcomes" in attributes:
        found = attributes["outcomes"]
        said.notes.append("Outcomes stand inside attributes, as the integrations page shows them; the API page and "
                          "the client library put them under relationships.")  # fmt: skip
    if found is None:
        return []
    listed = found.get("data") if isinstance(found, dict) else found
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        said.shape.append("“outcomes.data” is no list of objects.")
        return []
    if len(listed) > MOST_OUTCOMES:
        said.shape.append(f"There are {len(listed)} outcomes; {MOST_OUTCOMES} are allowed.")
    return listed[:MOST_OUTCOMES]


def _outcome(outcome: dict[str, Any], index: int, said: Said) -> None:
    """One outcome: its type, its texts, its tags."""
    where = f"Outcome {index}"
    if outcome.get("type") != "task-result-outcomes":
        said.shape.append(f"{where} is of type {shown(outcome.get('type'))}; it must be “task-result-outcomes”.")
    attributes = outcome.get("attributes")
    if not isinstance(attributes, dict):
        said.shape.append(f"{where} has no attributes.")
        return
    if "outcome-id" not in attributes and "outcome_id" in attributes:
        said.notes.append(
            "“outcome_id” is the JSON schema's word; the API page and the client library say “outcome-id”."
        )
    id_ = attributes.get("outcome-id", attributes.get("outcome_id"))
    said.shape.extend(_needed(id_, f"{where}: “outcome-id”", MOST_ID))
    said.shape.extend(_needed(attributes.get("description"), f"{where}: “description”", MOST_DESCRIPTION))
    _body(attributes.get("body"), where, said)
    url = attributes.get("url")
    if url is not None and (not isinstance(url, str) or len(url) > MOST_URL):
        said.shape.append(f"{where}: “url” is no text of at most {MOST_URL} characters.")
    tags = list(_tags(attributes.get("tags"), where, said))
    said.outcomes.append({"id": str(id_)[:MOST_ID], "description": str(attributes.get("description"))[:SHOWN],
                          "tags": tags})  # fmt: skip


def _needed(value: Any, name: str, most: int) -> list[str]:
    if not isinstance(value, str) or not value:
        return [f"{name} is missing."]
    return [f"{name} has {len(value)} characters; {most} are allowed."] if len(value) > most else []


def _body(body: Any, where: str, said: Said) -> None:
    if body is None:
        return
    if not isinstance(body, str):
        said.shape.append(f"{where}: “body” is no text.")
        return
    size = len(body.encode("utf-8", "replace"))
    if size > MOST_BODY:
        said.limits.append(f"{where}: “body” has {size} bytes; {MOST_BODY} are allowed.")
    elif len(body) > SCHEMA_BODY:
        less = ", and less than 1 MB is recommended" if size > GOOD_BODY else ""
        said.notes.append(f"{where}: “body” has {len(body)} characters. The JSON schema allows {SCHEMA_BODY}, the API "
                          f"page up to 5 MB{less}.")  # fmt: skip


def _tags(tags: Any, where: str, said: Said) -> Iterator[str]:
    """Each tag as "Severity: High (error)"."""
    if tags is None:
        return
    if not isinstance(tags, dict):
        said.shape.append(f"{where}: “tags” is no object of lists.")
        return
    if len(tags) > MOST_TAGS:
        said.shape.append(f"{where}: there are {len(tags)} tags; {MOST_TAGS} are allowed.")
    for name, labels in list(tags.items())[:MOST_TAGS]:
        if " " in name:
            said.notes.append(
                f"The tag “{name[:40]}” has a space, which the API page shows and the JSON schema forbids."
            )
        yield from _labels(name, labels, where, said)


def _labels(name: str, labels: Any, where: str, said: Said) -> Iterator[str]:
    tag = f"{where}: the tag “{name[:40]}”"
    if not isinstance(labels, list) or not all(isinstance(each, dict) for each in labels):
        said.shape.append(f"{tag} is no list of objects with a label.")
        return
    for each in labels[:MOST_TAGS]:
        said.shape.extend(_needed(each.get("label"), f"{tag}: “label”", MOST_LABEL))
        level = each.get("level", "none")
        if level not in LEVELS:
            said.shape.append(f"{tag} has the level {shown(level)}; it must be one of {', '.join(LEVELS)}.")
        yield f"{name[:40]}: {str(each.get('label'))[:MOST_LABEL]} ({str(level)[:10]})"


def shown(value: Any) -> str:
    """What somebody sent, short and in quotation marks."""
    return f"“{str(value)[:40]}”" if value is not None else "missing"
