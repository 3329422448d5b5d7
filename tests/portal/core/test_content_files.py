"""Tests that YAML content files are read strictly and their messages are extracted for translation."""

import ast
from dataclasses import FrozenInstanceError, field
from pathlib import Path
from typing import Annotated, Generic, TypeVar

import pytest
from django.core.management.commands import makemessages as original

from portal.core.content_errors import ContentError
from portal.core.content_files import Content, load_content, load_section, require_keys
from portal.core.content_messages import format_as_python, list_messages
from portal.core.management.commands.makemessages import Command, ContentBuildFile
from tests.portal.translatable_messages import list_module_messages

TRANSLATED = """\
translatable: [title]

rows:
  - title: First
    kind: plain
  - title: >-
      A text of
      two lines
    parts: [{title: It's}, {title: "96 %"}]
"""


class Page(Content):
    title: str
    pages: "tuple[Page, ...]" = ()


EntryT = TypeVar("EntryT")


class Index(Content, Generic[EntryT]):
    entries: tuple[EntryT, ...]
    aliases: dict[str, str] = field(default_factory=dict)


class Chapter(Page):
    number: int = 0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "page.yaml"


def test_file_becomes_its_dataclass(path: Path) -> None:
    path.write_text("title: Home\npages:\n  - title: About\n")
    assert load_content(path, Page) == Page("Home", (Page("About"),))


def test_section_of_a_file_becomes_its_type(path: Path) -> None:
    path.write_text("translatable: [title]\npages:\n  - title: About\n")
    assert load_section(path, "pages", tuple[Page, ...]) == (Page("About"),)


def test_misspelled_section_is_reported(path: Path) -> None:
    path.write_text("page:\n  - title: About\n")
    with pytest.raises(ContentError) as refusal:
        load_section(path, "pages", tuple[Page, ...])
    assert str(refusal.value).splitlines() == [
        f"{path}:1:1: pages: This key is required. Add it.",
        f"{path}:2:3: page: Unknown key. Did you mean 'pages'?",
    ]


def test_content_class_can_be_generic(path: Path) -> None:
    path.write_text("entries: [{title: Home}]\n")
    assert load_content(path, Index[Page]) == Index((Page("Home"),), {})


def test_content_class_extends_the_keys_of_another(path: Path) -> None:
    path.write_text("title: Home\nnumber: 1\n")
    chapter = load_content(path, Chapter)
    assert chapter == Chapter("Home", number=1)
    assert chapter != Page("Home")


def test_content_cannot_be_changed() -> None:
    page = Page("Home")
    with pytest.raises(FrozenInstanceError):
        page.title = "About"  # type: ignore[misc]
    assert {page, Page("Home")} == {Page("Home")}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", '1:1: The value is empty. Write a mapping, one "key: value" per line.'),
        ("- title: Home", '1:1: The value is a list. Write a mapping, one "key: value" per line.'),
        ("title: Home\ncolor: red", "2:8: color: Unknown key. Remove it, or use one of 'pages', 'title'."),
        ("title: Home\npages:\n  - titel: About", "3:5: pages[0].title: This key is required. Add it."),
        ("title: 2026-01-31", None),
        ("title: off", '1:8: title: The value is a boolean. Write text (quote a value such as "yes", "on", or "1.0").'),
        ("title: A\ntitle: B", "2:1: The key 'title' is repeated. Remove one of the two."),
        ("title: [", "2:1: Did not find expected node content. Correct the YAML syntax."),
        ("title: !python/name:os.system x", "1:8: Could not determine a constructor for the tag"),
    ],
)
def test_mistake_is_reported_with_position_location_and_fix(path: Path, text: str, message: str | None) -> None:
    path.write_text(text)
    if message is None:
        assert load_content(path, Page) == Page("2026-01-31")
        return
    with pytest.raises(ContentError) as refusal:
        load_content(path, Page)
    assert str(refusal.value).splitlines()[0].startswith(f"{path}:{message}")


def test_missing_keys_of_a_mapping_are_named(path: Path) -> None:
    path.write_text("title: Home\nfooter: Terms\n")
    content_type = Annotated[dict[str, str], require_keys(("title", "body", "summary"))]
    with pytest.raises(ContentError) as refusal:
        load_content(path, content_type)
    assert str(refusal.value) == f"{path}:1:1: These keys are required: 'body', 'summary'. Add them."
    path.write_text("title: Home\nbody: Text\nsummary: Short\n")
    assert load_content(path, content_type) == {"title": "Home", "body": "Text", "summary": "Short"}


def test_messages_are_the_values_of_translatable_keys() -> None:
    texts = [(4, ("First",)), (6, ("A text of two lines",)), (9, ("It's",)), (9, ("96 %",))]
    assert [*list_messages(TRANSLATED)] == texts
    assert [*list_messages(TRANSLATED.replace("translatable", "other"))] == []


def test_messages_keep_their_lines_as_python() -> None:
    code = format_as_python(TRANSLATED)
    assert [*list_module_messages(code)] == ["First", "A text of two lines", "It's", "96 %"]
    assert [node.lineno for node in ast.parse(code).body] == [4, 6, 9, 9]


def test_list_of_translatable_texts_is_a_singular_with_its_plural() -> None:
    source = 'translatable: [title]\ntitle: ["%(count)s page", "%(count)s pages"]\n'
    assert [*list_messages(source)] == [(2, ("%(count)s page", "%(count)s pages"))]
    assert format_as_python(source) == "\nngettext('%(count)s page', '%(count)s pages', 0);\n"


def test_makemessages_reads_yaml_as_python(path: Path) -> None:
    path.write_text(TRANSLATED)
    translatable = original.TranslatableFile(str(path.parent), path.name, None)
    file = ContentBuildFile(Command(), "django", translatable)
    file.preprocess()
    assert Path(file.work_path).read_text() == format_as_python(TRANSLATED)
    assert Command.build_file_class is ContentBuildFile
