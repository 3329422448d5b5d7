"""What type does a type expression of a configuration schema name? Pure.

any, string, number, bool, list(T), set(T), map(T), object({name = T, …}), tuple([T, …])
"""

import re
from dataclasses import dataclass
from typing import Any

TOKEN = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_-]*|\"[^\"]*\"|[(){}\[\],=:])")
PRIMITIVES = ("any", "string", "number", "bool")
COLLECTIONS = ("list", "set", "map")
DEEPEST = 20


class BadType(ValueError):
    """The text is no type expression. The text is a sentence fit to show."""


@dataclass(frozen=True, slots=True)
class Type:
    """`kind` is a primitive, a collection with `of`, an object with `fields`, or a tuple with `of` in order."""

    kind: str
    of: tuple["Type", ...] = ()
    fields: tuple[tuple[str, "Type"], ...] = ()

    def __str__(self) -> str:
        if self.kind == "object":
            return "object({" + ", ".join(f"{name} = {one}" for name, one in self.fields) + "})"
        if self.kind == "tuple":
            return "tuple([" + ", ".join(map(str, self.of)) + "])"
        return f"{self.kind}({self.of[0]})" if self.of else self.kind


def read(text: str) -> Type:
    """The type that a text names; blank is any, as Nomad reads it. Raises BadType."""
    if not text.strip():
        return Type("any")
    words = _words(text)
    found = _type(words, 0)
    if words:
        raise BadType(f"“{text[:80]}” goes on after the type has ended.")
    return found


def fit(given: Any, wanted: Type, where: str) -> tuple[Any, list[str]]:
    """(value, problems): the value as the type has it, converted where Nomad converts it. None fits every type."""
    if given is None or wanted.kind == "any":
        return given, []
    if wanted.kind in PRIMITIVES:
        return _primitive(given, wanted.kind, where)
    if wanted.kind in ("map", "object"):
        return _named(given, wanted, where)
    if not isinstance(given, list):
        return None, [f"{where}: a {wanted} is a list."]
    if wanted.kind == "tuple" and len(given) != len(wanted.of):
        return None, [f"{where}: a {wanted} has {len(wanted.of)} elements, not {len(given)}."]
    kinds = wanted.of if wanted.kind == "tuple" else wanted.of * len(given)
    return gathered([fit(one, kind, f"{where}[{n}]") for n, (one, kind) in enumerate(zip(given, kinds, strict=True))])


def _primitive(given: Any, kind: str, where: str) -> tuple[Any, list[str]]:
    if isinstance(given, dict | list):
        return None, [f"{where}: a {kind} is one value."]
    text = str(given).lower() if isinstance(given, bool) else str(given)
    if kind == "string":
        return text, []
    if kind == "bool" and text in ("true", "false"):
        return text == "true", []
    if kind == "number" and not isinstance(given, bool):
        try:
            return (int(text) if re.fullmatch(r"-?\d+", text) else float(text)), []
        except ValueError:
            pass
    return None, [f"{where}: “{text[:60]}” is no {kind}."]


def _named(given: Any, wanted: Type, where: str) -> tuple[Any, list[str]]:
    if not isinstance(given, dict):
        return None, [f"{where}: a {wanted} has names and values."]
    fields = dict(wanted.fields) if wanted.kind == "object" else dict.fromkeys(given, wanted.of[0])
    problems = [f"{where}.{name}: the schema knows no such name." for name in given if name not in fields]
    problems += [f"{where}.{name}: it is missing." for name in fields if name not in given]
    values, wrong = {}, problems
    for name in fields.keys() & given.keys():
        values[name], more = fit(given[name], fields[name], f"{where}.{name}")
        wrong = wrong + more
    return values, wrong


def gathered(found: list[tuple[Any, list[str]]]) -> tuple[list[Any], list[str]]:
    return [value for value, _ in found], [problem for _, problems in found for problem in problems]


def _words(text: str) -> list[str]:
    words, at = [], 0
    while text[at:].strip():
        match = TOKEN.match(text, at)
        if match is None:
            raise BadType(f"“{text[:80]}” is no type: “{text[at : at + 10].strip()}” has no place in one.")
        words.append(match[1])
        at = match.end()
    return words


def _type(words: list[str], depth: int) -> Type:
    name = words.pop(0) if words else ""
    if depth > DEEPEST:
        raise BadType("A type is nested too deeply.")
    if name in PRIMITIVES:
        return Type(name)
    if name in COLLECTIONS:
        _expect(words, "(")
        of = _type(words, depth + 1)
        _expect(words, ")")
        return Type(name, (of,))
    if name == "object":
        return Type(name, fields=tuple(_list(words, depth, "({", "})", is_named=True)))
    if name == "tuple":
        return Type(name, tuple(one for _, one in _list(words, depth, "([", "])", is_named=False)))
    raise BadType(f"“{name[:40]}” names no type." if name else "A type is missing.")


def _list(words: list[str], depth: int, begin: str, end: str, *, is_named: bool) -> list[tuple[str, Type]]:
    found: list[tuple[str, Type]] = []
    for mark in begin:
        _expect(words, mark)
    while words and words[0] != end[0]:
        name = words.pop(0).strip('"') if is_named else ""
        if is_named:
            _expect(words, "=" if words[:1] != [":"] else ":")
        found.append((name, _type(words, depth + 1)))
        if words[:1] == [","]:
            words.pop(0)
    for mark in end:
        _expect(words, mark)
    return found


def _expect(words: list[str], mark: str) -> None:
    if not words or words.pop(0) != mark:
        raise BadType(f"A type lacks its “{mark}”.")
