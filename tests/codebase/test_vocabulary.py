"""Tests that pages, emails, messages, docs, and the OpenAPI document use the terms of docs/vocabulary.toml."""

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

from portal.api.v1.app import build_document
from tests.codebase.project_files import ROOT, list_files, list_template_files, relative_name
from tests.portal.translatable_messages import list_module_messages

VOCABULARY = tomllib.loads((ROOT / "docs" / "vocabulary.toml").read_text())
TERMS = {word: term for term, words in VOCABULARY["terms"].items() for word in words}
WRONG_TERM_PATTERN = re.compile(
    rf"\b(?:{'|'.join(sorted(map(re.escape, TERMS), key=len, reverse=True))})s?\b", re.IGNORECASE
)
# what readers don't see: code, URLs, and the tags and comments of templates, but not their quoted texts
CODE_PATTERN = re.compile(r"```.*?```|`[^`\n]*`|\]\([^)]*\)", re.DOTALL)
MARKUP_PATTERN = re.compile(r"{#.*?#}|{%\s*comment.*?endcomment\s*%}|<!--.*?-->|<(script|style)\b.*?</\1>", re.DOTALL)
TAG_PATTERN = re.compile(r"{%.*?%}|{{.*?}}|<[^>]*>", re.DOTALL)
QUOTED_TEXT_PATTERN = re.compile(r"[\"']([^\"'{}<>]* [^\"'{}<>]*)[\"']")
SPELLINGS = {start: spelling for spelling, starts in VOCABULARY["spelling"].items() for start in starts}
BRITISH_PATTERN = re.compile(rf"\b(?:{'|'.join(map(re.escape, SPELLINGS))})", re.IGNORECASE)
# between the words of a name, and what libraries and formats prescribe
WORD_BREAK_PATTERN = re.compile(r"_|(?<=[a-z])(?=[A-Z])")
LIBRARY_WORD_PATTERN = re.compile(r"Str(?:Or)?Promise|\bPromise\b|CANCELLED|CancelledError|request was cancelled")
PROSE_KEYS = {"title", "summary", "description"}


def list_template_texts(source: str) -> Iterator[str]:
    visible = MARKUP_PATTERN.sub(" ", source)
    yield TAG_PATTERN.sub(" ", visible)
    for tag in TAG_PATTERN.findall(visible):
        yield from QUOTED_TEXT_PATTERN.findall(tag)


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
                yield CODE_PATTERN.sub(" ", value)
            elif key not in {"example", "examples", "default", "enum", "const"}:
                yield from list_openapi_texts(value)


def list_texts() -> Iterator[tuple[str, str]]:
    """Yield each text that people read, with the file or document that holds it."""
    for path in list_template_files():
        yield from ((relative_name(path), text) for text in list_template_texts(path.read_text()))
    for path in list_files("integrations/*.py", "portal/*.py", "verification/*.py"):
        if "gettext" in (source := path.read_text()):
            yield from ((relative_name(path), text) for text in list_module_messages(source))
    for path in list_files("docs/*.md", "README.md", "CONTRIBUTING.md", "SECURITY.md"):
        yield relative_name(path), CODE_PATTERN.sub(" ", path.read_text())
    yield from (("OpenAPI", text) for text in list_openapi_texts(build_document()))


def test_texts_use_the_preferred_terms() -> None:
    problems = defaultdict(set)
    for place, text in list_texts():
        if place.startswith(tuple(VOCABULARY["pending"])):
            continue
        for match in WRONG_TERM_PATTERN.finditer(" ".join(text.split())):
            word = match[0].lower()
            problems[place].add(f"{word}: write “{TERMS.get(word) or TERMS[word.removesuffix('s')]}”")
        for match in BRITISH_PATTERN.finditer(text):
            problems[place].add(f"{match[0]}…: write “{SPELLINGS[match[0].lower()]}”")
    assert dict(problems) == {}


def test_python_code_uses_the_preferred_terms_and_american_spelling() -> None:
    problems = {
        f"{relative_name(path)}:{number}": match[0]
        for path in list_files("integrations/*.py", "portal/*.py", "verification/*.py")
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        for match in (find_wrong_word(WORD_BREAK_PATTERN.sub(" ", LIBRARY_WORD_PATTERN.sub("", line))),)
        if match
    }
    assert problems == {}


def find_wrong_word(text: str) -> re.Match[str] | None:
    return WRONG_TERM_PATTERN.search(text) or BRITISH_PATTERN.search(text)


@pytest.mark.parametrize("term", sorted({*TERMS.values(), *SPELLINGS.values()}))
def test_preferred_term_is_not_itself_wrong(term: str) -> None:
    assert (WRONG_TERM_PATTERN.search(term), BRITISH_PATTERN.search(term)) == (None, None)
