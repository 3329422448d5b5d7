"""Parser of type expressions in configuration schemas. Pure functions.

any, string, number, bool, list(T), set(T), map(T), object({name = T, …}), tuple([T, …])
"""

import math
import re
from dataclasses import dataclass
from decimal import Decimal

# A token, or the text where one is expected.
TOKEN_PATTERN = re.compile(r"\s*(?:([A-Za-z_][A-Za-z0-9_-]*|\"[^\"]*\"|[(){}\[\],=:])|(\S.{0,9}))", re.DOTALL)
# The limits keep each number short enough for int().
NUMBER_PATTERN = re.compile(r"[+-]?[0-9]{1,4000}(\.[0-9]{1,4000})?([eE][+-]?[0-9]{1,4})?")
PRIMITIVES = ("any", "string", "number", "bool")
COLLECTIONS = ("list", "set", "map")
MAX_DEPTH = 20
# Tokens are taken from the front of a list, so the time grows with the square of the length.
MAX_CHARACTERS = 10_000


@dataclass(frozen=True, slots=True)
class HclType:
    """A primitive, a collection with `of`, an object with `fields`, or a tuple with `of` in order."""

    kind: str
    of: tuple["HclType", ...] = ()
    fields: tuple[tuple[str, "HclType"], ...] = ()

    def __str__(self) -> str:
        if self.kind == "object":
            return "object({" + ", ".join(f"{name} = {field_type}" for name, field_type in self.fields) + "})"
        if self.kind == "tuple":
            return "tuple([" + ", ".join(map(str, self.of)) + "])"
        return f"{self.kind}({self.of[0]})" if self.of else self.kind


def parse_type(text: str) -> HclType:
    """Parse a type expression. As in Nomad, a blank one means any. Raises ValueError with a message for users."""
    if not text.strip():
        return HclType("any")
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"“{text[:80]}…” is longer than {MAX_CHARACTERS:,} characters.")
    tokens = _tokenize(text)
    parsed_type = _parse_type(tokens, 0)
    if tokens:
        raise ValueError(f"“{text[:80]}” has extra text after the type.")
    return parsed_type


def convert_value(value: object, expected_type: HclType, where: str, problems: list[str]) -> object:
    """Return the value converted as Nomad converts it, and append what is wrong. None matches every type."""
    if value is None or expected_type.kind == "any":
        return value
    if expected_type.kind in PRIMITIVES:
        return _convert_primitive(value, expected_type.kind, where, problems)
    if expected_type.kind in ("map", "object"):
        return _convert_mapping(value, expected_type, where, problems)
    if not isinstance(value, list):
        problems.append(f"{where}: expected a list for {expected_type}.")
        return None
    element_types = expected_type.of if expected_type.kind == "tuple" else expected_type.of * len(value)
    if len(value) != len(element_types):
        problems.append(f"{where}: expected {len(element_types)} elements for {expected_type}, found {len(value)}.")
        return None
    elements = enumerate(zip(value, element_types, strict=True))
    return [convert_value(element, kind, f"{where}[{index}]", problems) for index, (element, kind) in elements]


def _convert_primitive(value: object, kind: str, where: str, problems: list[str]) -> object:
    if isinstance(value, dict | list):
        problems.append(f"{where}: expected a single {kind}.")
        return None
    # HCL converts between primitives: true becomes "true", and "8" becomes 8.
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if kind == "string":
        return text
    if kind == "bool" and text in ("true", "false"):
        return text == "true"
    # float() would also accept “nan”, underscores, and other digits, which HCL doesn't.
    if kind == "number" and not isinstance(value, bool) and NUMBER_PATTERN.fullmatch(text):
        number = float(text) if {*".eE"} & {*text} else int(text)
        # Nomad passes on what is beyond the range of a float as text.
        return f"{Decimal(text):f}" if number in (math.inf, -math.inf) else number
    problems.append(f"{where}: “{text[:60]}” isn't a {kind}.")
    return None


def _convert_mapping(value: object, expected_type: HclType, where: str, problems: list[str]) -> object:
    if not isinstance(value, dict):
        problems.append(f"{where}: expected names and values for {expected_type}.")
        return None
    fields = dict(expected_type.fields) if expected_type.kind == "object" else dict.fromkeys(value, expected_type.of[0])
    problems += [f"{where}.{name}: the schema has no such attribute." for name in value if name not in fields]
    # Object types in HCL have no optional attributes.
    problems += [f"{where}.{name}: this attribute is missing." for name in fields if name not in value]
    return {
        name: convert_value(value[name], kind, f"{where}.{name}", problems)
        for name, kind in fields.items()
        if name in value
    }


def _tokenize(text: str) -> list[str]:
    tokens = []
    for token, unexpected_text in TOKEN_PATTERN.findall(text.strip()):
        if unexpected_text:
            raise ValueError(f"“{text.strip()[:80]}” isn't a type: unexpected “{unexpected_text.strip()}”.")
        tokens.append(token)
    return tokens


def _parse_type(tokens: list[str], depth: int) -> HclType:
    name = tokens.pop(0) if tokens else ""
    if depth > MAX_DEPTH:
        raise ValueError("The type is nested too deeply.")
    if name in PRIMITIVES:
        return HclType(name)
    if name in COLLECTIONS:
        _expect(tokens, "(")
        element_type = _parse_type(tokens, depth + 1)
        _expect(tokens, ")")
        return HclType(name, (element_type,))
    if name == "object":
        return HclType(name, fields=tuple(_parse_elements(tokens, depth, "({", "})", is_named=True)))
    if name == "tuple":
        elements = _parse_elements(tokens, depth, "([", "])", is_named=False)
        return HclType(name, tuple(element for _, element in elements))
    raise ValueError(f"“{name[:40]}” isn't a type." if name else "The type is missing.")


def _parse_elements(
    tokens: list[str], depth: int, begin: str, end: str, *, is_named: bool
) -> list[tuple[str, HclType]]:
    elements: list[tuple[str, HclType]] = []
    for mark in begin:
        _expect(tokens, mark)
    while tokens and tokens[0] != end[0]:
        # HCL allows quoted names, a colon instead of the equals sign, and a comma after the last element.
        name = tokens.pop(0).strip('"') if is_named else ""
        if is_named:
            _expect(tokens, "=" if tokens[:1] != [":"] else ":")
        elements.append((name, _parse_type(tokens, depth + 1)))
        if tokens[:1] == [","]:
            tokens.pop(0)
    for mark in end:
        _expect(tokens, mark)
    return elements


def _expect(tokens: list[str], mark: str) -> None:
    if not tokens or tokens.pop(0) != mark:
        raise ValueError(f"The type is missing a “{mark}”.")
