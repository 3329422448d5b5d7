"""Tests that pages, emails, messages, docs, and the OpenAPI document use the terms of docs/vocabulary.toml."""

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

from portal.api.v1.app import build_document
from tests.house.source import ROOT, files, name, template_files
from tests.portal.extracted import of_module

VOCABULARY = tomllib.loads((ROOT / "docs" / "vocabulary.toml").read_text())
TERMS = {word: term for term, words in VOCABULARY["terms"].items() for word in words}
WRONG = re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, TERMS), key=len, reverse=True))})s?\b", re.IGNORECASE)
# what readers don't see: code, URLs, and the tags and comments of templates, but not their quoted texts
CODE = re.compile(r"```.*?```|`[^`\n]*`|\]\([^)]*\)", re.DOTALL)
MARKUP = re.compile(r"{#.*?#}|{%\s*comment.*?endcomment\s*%}|<!--.*?-->|<(script|style)\b.*?</\1>", re.DOTALL)
TAG = re.compile(r"{%.*?%}|{{.*?}}|<[^>]*>", re.DOTALL)
SENTENCE = re.compile(r"[\"']([^\"'{}<>]* [^\"'{}<>]*)[\"']")
SPELLINGS = {start: spelling for spelling, starts in VOCABULARY["spelling"].items() for start in starts}
BRITISH = re.compile(rf"\b(?:{'|'.join(map(re.escape, SPELLINGS))})", re.IGNORECASE)
PROSE_KEYS = {"title", "summary", "description"}


def list_template_texts(source: str) -> Iterator[str]:
    visible = MARKUP.sub(" ", source)
    yield TAG.sub(" ", visible)
    for tag in TAG.findall(visible):
        yield from SENTENCE.findall(tag)


def list_openapi_texts(node: Any) -> Iterator[str]:
    """Yield titles, descriptions, and field names; values of examples are data."""
    if isinstance(node, list):
        for child in node:
            yield from list_openapi_texts(child)
    elif isinstance(node, dict):
        for key, value in node.items():
            if key == "properties":
                yield from (field.replace("_", " ") for field in value)
            if key in PROSE_KEYS and isinstance(value, str):
                yield CODE.sub(" ", value)
            elif key not in {"example", "examples", "default", "enum", "const"}:
                yield from list_openapi_texts(value)


def list_texts() -> Iterator[tuple[str, str]]:
    """Yield each text that people read, with the file or document that holds it."""
    for path in template_files():
        yield from ((name(path), text) for text in list_template_texts(path.read_text()))
    for path in files("integrations/*.py", "portal/*.py", "verification/*.py"):
        if "gettext" in (source := path.read_text()):
            yield from ((name(path), text) for text in of_module(source))
    for path in files("docs/*.md", "README.md", "CONTRIBUTING.md", "SECURITY.md"):
        yield name(path), CODE.sub(" ", path.read_text())
    yield from (("OpenAPI", text) for text in list_openapi_texts(build_document()))


def test_texts_use_the_preferred_terms() -> None:
    problems = defaultdict(set)
    for place, text in list_texts():
        if place.startswith(tuple(VOCABULARY["pending"])):
            continue
        for match in WRONG.finditer(" ".join(text.split())):
            word = match[0].lower()
            problems[place].add(f"{word}: write “{TERMS.get(word) or TERMS[word.removesuffix('s')]}”")
        for match in BRITISH.finditer(text):
            problems[place].add(f"{match[0]}…: write “{SPELLINGS[match[0].lower()]}”")
    assert dict(problems) == {}


def test_python_code_uses_american_spelling() -> None:
    sources = {name(path): path.read_text() for path in files("integrations/*.py", "portal/*.py", "verification/*.py")}
    assert {place: BRITISH.findall(source) for place, source in sources.items() if BRITISH.search(source)} == {}


@pytest.mark.parametrize("term", sorted({*TERMS.values(), *SPELLINGS.values()}))
def test_preferred_term_is_not_itself_wrong(term: str) -> None:
    assert (WRONG.search(term), BRITISH.search(term)) == (None, None)
