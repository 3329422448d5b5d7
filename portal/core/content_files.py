"""YAML content files, validated against dataclasses.

A content file holds texts and tables that the portal ships as data. Every problem is reported with its file, its line,
its location inside the file, and how to fix it.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
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
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from portal.core.content_errors import NO_MATCH, ContentError, ContentProblem, describe_error, get_position

T = TypeVar("T")
build_adapter = cache(TypeAdapter)  # several files have the same type
PROJECT_FOLDER = Path(__file__).resolve().parents[2]
TRANSLATABLE = "translatable"  # the key that names the keys whose values are messages


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
        raise ContentError([describe_error(path, detail, schema) for detail in details]) from error


def load_section(path: Path | str, name: str, content_type: type[T]) -> T:
    """Read a YAML file that has only one section, and return the section as the type.

    Raises:
        ContentError: As `load_content`.
    """
    file_type = type("ContentFile", (Content,), {"__annotations__": {name: content_type}})
    section: T = getattr(load_content(path, file_type), name)
    return section


def read_yaml(path: Path) -> object:
    """Return the document in a YAML file as plain values.

    Raises:
        ContentError: The file is not YAML or repeats a key.
    """
    try:
        return load_yaml(path.read_bytes())
    except yaml.MarkedYAMLError as error:
        position = get_position(error.problem_mark) if error.problem_mark else (1, 1)
        problem = f"{str(error.problem or 'not YAML').capitalize()}."
        fix = "Remove one of the two." if isinstance(error, _DuplicateKeyError) else "Correct the YAML syntax."
        raise ContentError([ContentProblem(path, position, (), problem, fix)]) from error


def load_yaml(source: str | bytes) -> object:
    """Return a YAML document as plain values, dates as text. Raises yaml.YAMLError, also for a repeated key."""
    return yaml.load(source, Loader=_UniqueKeyLoader)  # noqa: S506 - a safe loader


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
