"""Tests that every template is used and obeys the Content-Security-Policy."""

import re
from pathlib import Path

import django.forms
import pytest
from django.template.utils import get_app_template_dirs

from tests.codebase.project_files import ROOT, get_template_name, list_files, list_template_files, relative_name

TEMPLATES = list_template_files()
INLINE_PATTERN = re.compile(
    r"""<style|\sstyle=|\son[a-z]+=["']|javascript:|<script(?![^>]*\b(?:src=|nonce=|type="application/json"))"""
)
ERROR_TEMPLATES = {"400.html", "403.html", "403_csrf.html", "404.html", "500.html", "429.html"}
TABLE_PATTERN = re.compile(r"{% table .*?{% endtable %}|<table(?!\s+role).*?</table>", re.DOTALL)
OWN_DELETION_PATTERN = re.compile(
    r'{% (?:button|decision label=|form_footer label=) ?_\("(?:Delete|Disconnect|Leave|Remove|Revoke|Withdraw test)'
)
BLAME_PATTERN = re.compile(r"\b(invalid|illegal|error 500)\b", re.IGNORECASE)


YAML_KEY_PATTERN = re.compile(r"\b(?:key|template): ([\w-]+)")
COMPONENT_PATTERN = re.compile(r"^@component\ndef (\w+)", re.MULTILINE)
QUOTED_PATH_PATTERN = re.compile(r"[\"']([\w./{}-]+)(?=[\"'#{])")


@pytest.fixture(scope="module")
def quoted_words():
    """Return the quoted words of code and templates that may name a template, with {} for placeholders.

    A component's name consists of its app and its function.
    """
    paths = [path for path in (*list_files("*.py"), *TEMPLATES) if not relative_name(path).startswith("tests/")]
    texts = [path.read_text() for path in paths]
    keys = {key for path in list_files("*.yaml") for key in YAML_KEY_PATTERN.findall(path.read_text())}
    components = {
        f"{relative_name(path).split('/')[1]}/components/{component}.html"
        for path, text in zip(paths, texts, strict=True)
        for component in COMPONENT_PATTERN.findall(text)
    }
    return (
        keys
        | components
        | {
            re.sub(r"\{\w+\}", "{}", word).removesuffix("{")
            for text in texts
            for word in QUOTED_PATH_PATTERN.findall(text)
        }
    )


def is_override(template):
    """Return whether the template overrides one of an installed package."""
    template_folders = [
        Path(django.forms.__file__).parent / "templates",
        *map(Path, get_app_template_dirs("templates")),
    ]
    folders = [folder for folder in template_folders if ROOT not in folder.parents or ".venv" in folder.parts]
    return any((folder / template).exists() for folder in folders)


def is_named(template, quoted_words):
    """Return whether the code names the template, as a whole or as f"folder/{word}.html" and the word."""
    if {template, template + "{}"} & quoted_words:
        return True
    stem, _, suffix = template.rpartition(".")
    parts = stem.split("/")
    name_patterns = ("/".join([*parts[:index], "{}", *parts[index + 1 :]]) for index in range(len(parts)))
    return any(
        f"{name}.{suffix}" in quoted_words and part in quoted_words
        for name, part in zip(name_patterns, parts, strict=True)
    )


def test_every_template_is_used(quoted_words):
    templates = [get_template_name(path) for path in TEMPLATES]
    known_templates = (
        one for one in templates if one in ERROR_TEMPLATES or is_named(one, quoted_words) or is_override(one)
    )
    assert sorted(set(templates) - set(known_templates)) == []


def test_emails_start_with_a_subject_and_the_next_action():
    emails = [path for path in TEMPLATES if path.suffix == ".md" and "\n\n" in path.read_text()]
    assert len(emails) > 60
    paragraphs = {relative_name(path): path.read_text().split("\n\n") for path in emails}
    assert {
        email
        for email, (subject, next_action, *_) in paragraphs.items()
        if not all(part and part == part.strip() for part in (subject, next_action))
    } == set()


def test_pages_have_no_inline_script_or_style():
    pages = [path for path in TEMPLATES if path.suffix == ".html" and "email" not in path.parts]
    assert [relative_name(path) for path in pages if INLINE_PATTERN.search(path.read_text())] == []


def test_templates_do_not_blame_the_reader():
    assert [relative_name(path) for path in TEMPLATES if BLAME_PATTERN.search(path.read_text())] == []


def test_deletions_name_the_object_with_the_shared_component() -> None:
    texts = {relative_name(path): path.read_text() for path in TEMPLATES}
    assert [name for name, text in texts.items() if OWN_DELETION_PATTERN.search(text)] == []


def test_every_table_names_its_columns_or_rows() -> None:
    tables = [
        (get_template_name(path), table) for path in TEMPLATES for table in TABLE_PATTERN.findall(path.read_text())
    ]
    without_headings = {name for name, table in tables if "table_head" not in table and " scope=" not in table}
    assert (len(tables) > 50, without_headings) == (True, {"ui/components/table.html"})
