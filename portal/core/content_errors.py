"""Problems in YAML content files: what is wrong, where, and how to fix it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

import yaml
from pydantic_core import ErrorDetails

Location = tuple[str | int, ...]
Position = tuple[int, int]
JsonSchema = dict[str, object]
NO_MATCH = "no_match"

# What to write instead of a value of the wrong type, by the type of pydantic's error.
EXPECTED_TYPES = {
    "string_type": 'text (quote a value such as "yes", "on", or "1.0")',
    "bool_type": "true or false",
    "int_type": "a whole number without quotes",
    "tuple_type": 'a list, one "- item" per line',
    "dict_type": 'a mapping, one "key: value" per line',
    "dataclass_type": 'a mapping, one "key: value" per line',
}


@dataclass(frozen=True, slots=True)
class ContentProblem:
    """Problem in a content file.

    Attributes:
        path: The file.
        position: The line and column of the value, or of the nearest mapping or list around a value that is missing.
        location: The keys and indexes that lead to the value.
        problem: What is wrong, as a sentence.
        fix: What to do about it, as a sentence.
    """

    path: Path
    position: Position
    location: Location
    problem: str
    fix: str

    def __str__(self) -> str:
        location = f" {format_location(self.location)}:" if self.location else ""
        line, column = self.position
        return f"{self.path}:{line}:{column}:{location} {self.problem} {self.fix}"


class ContentError(ValueError):
    """Invalid content file. The message lists the problems, one per line."""

    def __init__(self, problems: Sequence[ContentProblem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)


def format_location(location: Location) -> str:
    """Return a location as text, for example "edition.steps[2].name"."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return "".join(parts).removeprefix(".")


def describe_error(path: Path, detail: ErrorDetails, schema: JsonSchema) -> ContentProblem:
    """Return the problem that an error of pydantic reports. The schema is that of the file's type."""
    location = detail["loc"]
    problem, fix = _explain(detail, schema)
    # Looked up only after an error, because positions take a second pass over the file.
    return ContentProblem(path, find_position(path, location), location, problem, fix)


def _explain(detail: ErrorDetails, schema: JsonSchema) -> tuple[str, str]:
    """Return what is wrong and how to fix it for an error of pydantic."""
    kind = detail["type"]
    value = detail["input"]
    context = detail.get("ctx", {})
    if kind == "missing":
        return "This key is required.", "Add it."
    if kind == "unexpected_keyword_argument":
        return "Unknown key.", _suggest_key(detail["loc"], schema)
    if kind in ("enum", "literal_error") and isinstance(value, bool):  # YAML reads yes, no, on, and off as booleans
        return "The value is a boolean.", f"Use one of {context['expected']}, in quotes."
    if kind in ("enum", "literal_error"):
        return f"{value!r} is not an allowed value.", f"Use one of {context['expected']}."
    if kind in EXPECTED_TYPES:
        return f"The value is {_describe_value(value)}.", f"Write {EXPECTED_TYPES[kind]}."
    if kind == NO_MATCH:
        return f"{value!r} is not valid here.", f"Write {context['expected']}."
    if kind == "string_too_short":
        return "The text is empty.", "Enter a text, or leave the key out if it is optional."
    return f"{detail['msg']}.", context.get("fix", "Correct the value.")


def _describe_value(value: object) -> str:
    names = {bool: "a boolean", int: "a number", float: "a number", str: "text", list: "a list", dict: "a mapping"}
    return names.get(type(value), "empty")


def _suggest_key(location: Location, schema: JsonSchema) -> str:
    """Return the advice for an unknown key: the nearest allowed key, or all of them."""
    keys = sorted(_list_allowed_keys(location[:-1], schema))
    return suggest(str(location[-1]), keys) or f"Remove it, or use one of {', '.join(map(repr, keys))}."


def suggest(name: str, known_names: Sequence[str]) -> str:
    """Return a question with the known name that is nearest to an unknown one, or an empty string."""
    matches = get_close_matches(name, known_names, n=1)
    return f"Did you mean {matches[0]!r}?" if matches else ""


def _list_allowed_keys(location: Location, schema: JsonSchema) -> Iterator[str]:
    """Yield the keys that a JSON Schema allows at a location."""
    schemas = list(_resolve(schema, schema))
    for part in location:
        name = "items" if isinstance(part, int) else "properties"
        children = [each.get(name) for each in schemas]
        parts = [child if isinstance(part, int) else child.get(part) for child in children if isinstance(child, dict)]
        schemas = [each for child in parts for each in _resolve(child, schema)]
    for each in schemas:
        properties = each.get("properties")
        if isinstance(properties, dict):
            yield from properties


def _resolve(schema: object, root: JsonSchema) -> Iterator[JsonSchema]:
    """Yield a JSON Schema together with the schemas that it references or offers as alternatives."""
    if not isinstance(schema, dict):
        return
    reference = schema.get("$ref")
    definitions = root.get("$defs")
    if isinstance(reference, str) and isinstance(definitions, dict):
        yield from _resolve(definitions[reference.removeprefix("#/$defs/")], root)
    for alternative in schema.get("anyOf", ()):
        yield from _resolve(alternative, root)
    yield schema


def find_position(path: Path, location: Location) -> Position:
    """Return the line and column of a location in a YAML file, or of the nearest existing parent."""
    node = yaml.compose(path.read_bytes(), Loader=yaml.CSafeLoader)
    position = get_position(node.start_mark) if node else (1, 1)
    for part in location:
        node = _find_child(node, part)
        if node is None:
            break
        position = get_position(node.start_mark)
    return position


def get_position(mark: yaml.Mark) -> Position:
    """Return the line and column of a mark, counted from 1."""
    return mark.line + 1, mark.column + 1


def _find_child(node: yaml.Node | None, part: str | int) -> yaml.Node | None:
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in node.value if key.value == str(part)), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part]
    return None
