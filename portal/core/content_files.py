"""YAML content files, validated against dataclasses.

A content file holds texts and tables that the portal ships as data. Every problem is reported with its file, its line,
its location inside the file, and how to fix it.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TypeVar, dataclass_transform

import yaml
from pydantic import (
    AfterValidator,
    ConfigDict,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    TypeAdapter,
    ValidationError,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, ErrorDetails, PydanticCustomError, core_schema

Location = tuple[str | int, ...]
Position = tuple[int, int]
JsonSchema = dict[str, object]
T = TypeVar("T")
NO_MATCH = "no_match"
build_adapter = cache(TypeAdapter)  # several files have the same type
PROJECT_FOLDER = Path(__file__).resolve().parents[2]
TRANSLATABLE = "translatable"  # the key that names the keys whose values are messages

# What to write instead of a value of the wrong type, by the type of pydantic's error.
EXPECTED_TYPES = {
    "string_type": 'text (quote a value such as "yes", "on", or "1.0")',
    "bool_type": "true or false",
    "int_type": "a whole number without quotes",
    "tuple_type": 'a list, one "- item" per line',
    "dict_type": 'a mapping, one "key: value" per line',
    "dataclass_type": 'a mapping, one "key: value" per line',
}


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Content:
    """Base of the classes that describe content files: no unknown keys and no conversion between types.

    Each subclass is a frozen dataclass, without a decorator.
    """

    # YAML reads an unquoted yes as a boolean and 1.0 as a number. A conversion would hide that from the author.
    __pydantic_config__ = ConfigDict(extra="forbid", strict=True)

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()  # that of Generic
        dataclass(frozen=True)(cls)


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


@dataclass(frozen=True, slots=True)
class TextPattern:
    """Annotation of text that must match a regular expression, also in the JSON Schema.

    Attributes:
        pattern: The regular expression, which the whole text must match.
        expected: What to write, for the error message: "Write …".
    """

    pattern: str
    expected: str

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return handler(schema) | {"pattern": f"^(?:{self.pattern})$"}

    def check(self, value: str) -> str:
        if not re.fullmatch(self.pattern, value):
            raise PydanticCustomError(NO_MATCH, "Text must match", {"expected": self.expected})
        return value


def require_keys(keys: Iterable[str]) -> AfterValidator:
    """Return the annotation of a mapping that must have each of the keys."""
    required_keys = tuple(map(str, keys))

    def check(mapping: dict[str, object]) -> dict[str, object]:
        missing_keys = [key for key in required_keys if key not in mapping]
        if missing_keys:
            context = {"keys": ", ".join(map(repr, missing_keys)), "fix": "Add them."}
            raise PydanticCustomError("missing_keys", "These keys are required: {keys}", context)
        return mapping

    return AfterValidator(check)


def format_location(location: Location) -> str:
    """Return a location as text, for example "edition.steps[2].name"."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return "".join(parts).removeprefix(".")


def load_content(path: Path | str, content_type: type[T]) -> T:
    """Read a YAML file and return it as the type. A relative path begins at the folder of the project.

    The names of translatable keys are for translators only.

    Raises:
        ContentError: The file is not YAML, repeats a key, or does not fit the type.
    """
    path = PROJECT_FOLDER / path
    adapter: TypeAdapter[T] = build_adapter(content_type)  # type: ignore[arg-type]  # types are hashable
    document = read_yaml(path)
    if isinstance(document, dict):
        document.pop(TRANSLATABLE, None)
    try:
        # Validated as JSON: in its strict mode a list is a tuple and text an enum member, but nothing else converts.
        return adapter.validate_json(json.dumps(document, default=str))
    except ValidationError as error:
        schema = adapter.json_schema()
        details = error.errors(include_url=False)
        raise ContentError([_describe_error(path, detail, schema) for detail in details]) from error


def read_yaml(path: Path) -> object:
    """Return the document in a YAML file as plain values.

    Raises:
        ContentError: The file is not YAML or repeats a key.
    """
    try:
        return load_yaml(path.read_bytes())
    except yaml.MarkedYAMLError as error:
        position = _get_position(error.problem_mark) if error.problem_mark else (1, 1)
        problem = f"{str(error.problem or 'not YAML').capitalize()}."
        fix = "Remove one of the two." if isinstance(error, _DuplicateKeyError) else "Correct the YAML syntax."
        raise ContentError([ContentProblem(path, position, (), problem, fix)]) from error


def load_yaml(source: str | bytes) -> object:
    """Return a YAML document as plain values, dates as text. Raises yaml.YAMLError, also for a repeated key."""
    return yaml.load(source, Loader=_UniqueKeyLoader)  # noqa: S506 - a safe loader


def find_position(path: Path, location: Location) -> Position:
    """Return the line and column of a location in a YAML file, or of the nearest existing parent."""
    node = yaml.compose(path.read_bytes(), Loader=yaml.CSafeLoader)
    position = _get_position(node.start_mark) if node else (1, 1)
    for part in location:
        node = _find_child(node, part)
        if node is None:
            break
        position = _get_position(node.start_mark)
    return position


def _get_position(mark: yaml.Mark) -> Position:
    return mark.line + 1, mark.column + 1


class _DuplicateKeyError(yaml.constructor.ConstructorError):
    """Duplicate key in a mapping, of which PyYAML would silently keep the last value."""


class _UniqueKeyLoader(yaml.CSafeLoader):
    """Safe loader that rejects duplicate keys. libyaml, included in every wheel, makes it fast enough for startup."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[object, object]:
        keys: set[str] = set()
        for key, _ in node.value:
            if str(key.value) in keys:
                raise _DuplicateKeyError(None, None, f"the key {key.value!r} is repeated", key.start_mark)
            keys.add(str(key.value))
        return super().construct_mapping(node, deep)

    def construct_text(self, node: yaml.Node) -> str:
        """Return a date as text. YAML's own dates fail without a position if the day doesn't exist."""
        return str(node.value)


yaml.add_constructor("tag:yaml.org,2002:timestamp", _UniqueKeyLoader.construct_text, _UniqueKeyLoader)


def _find_child(node: yaml.Node | None, part: str | int) -> yaml.Node | None:
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in node.value if key.value == str(part)), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part]
    return None


def _describe_error(path: Path, detail: ErrorDetails, schema: JsonSchema) -> ContentProblem:
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
