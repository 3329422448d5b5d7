"""Tests that templates contain no text outside translate and blocktranslate."""

import html
import re

import pytest
from django.utils.text import smart_split

from tests.codebase.project_files import ROOT, list_template_files, relative_name

TEMPLATES = list_template_files()
UNTRANSLATED_TEMPLATES = {
    "templates/500.html": "must come when everything is broken, the translations too",
    "integrations/programs/jinja2/programs/edition.txt": "output of a command, in English as its help",
}
STYLE_GUIDE = "portal/styleguide/templates/styleguide/"  # its parts show data, not texts of the portal

INVISIBLE_PATTERN = re.compile(
    r"{%\s*comment\b.*?{%\s*endcomment\s*%}|{#.*?#}|<!--.*?-->|<(script|style|code)\b.*?</\1>"
    r"|{%\s*block (href|og_\w+)\s*%}.*?{%\s*endblock\s*%}"  # URLs and protocol keywords
    r"|\]\(<.*?>\)",  # URLs in Markdown
    re.DOTALL,
)
TRANSLATED_BLOCK_PATTERN = re.compile(r"{%\s*blocktranslate\b.*?{%\s*endblocktranslate\s*%}", re.DOTALL)
TAG_PATTERN = re.compile(r"{%.*?%}|{{.*?}}", re.DOTALL)
MARKUP_PATTERN = re.compile(r"""<[A-Za-z/!\0{](?:"[^"]*"|[^">])*>""")
TEXT_ATTRIBUTE_PATTERN = re.compile(r"""[\s"](?:title|aria-label|placeholder|alt)="([^"]*)\"""")
LETTERS_PATTERN = re.compile(r"[A-Za-z]{2}")
TRANSLATE_TAG_PATTERN = re.compile(r"{%\s*(?:block)?translate\b")
OTHER_ATTRIBUTE_PATTERN = re.compile(r"""\s(?:title|aria-label|placeholder|alt|content|value)=(?:"[^"]*"|'[^']*')""")

# Component arguments that are always text for readers. Other literals count only if they look like words.
TEXT_ARGUMENTS = {
    "heading",
    "label",
    "caption",
    "summary",
    "text",
    "aside",
    "advice",
    "noun",
    "reason",
    "what",
    "wait",
    "title",
}
PHRASE_PATTERN = re.compile(r"[a-z,.:] [a-zA-Z]|^[A-Z][a-z]+")
LITERAL_PATTERN = re.compile(r"""(?<!_\()(?<!date:)(?<!time:)"([^"]*)\"""")
TAGS_WITHOUT_TEXT = {
    "if",
    "elif",
    "url",
    "load",
    "extends",
    "include",
    "block",
    "endblock",
    "translate",
    "static",
    "icon",
    "for",
}
COMMAND_PATTERN = re.compile(r"^(manage\.py|bin/|terraform ) ?")  # commands are the same in every language


def find_untranslated_texts(source: str, *, markup: bool) -> list[str]:
    """Return the texts of a template outside translation tags in order, attributes first."""
    visible_source = TAG_PATTERN.sub("\0", TRANSLATED_BLOCK_PATTERN.sub("\0", INVISIBLE_PATTERN.sub("", source)))
    texts = []
    if markup:
        texts += [
            value for tag in MARKUP_PATTERN.findall(visible_source) for value in TEXT_ATTRIBUTE_PATTERN.findall(tag)
        ]
        visible_source = MARKUP_PATTERN.sub("\0", visible_source)
    texts += visible_source.split("\0")
    return [" ".join(text.split()) for text in map(html.unescape, texts) if LETTERS_PATTERN.search(text)]


def find_untranslated_literals(source: str) -> list[str]:
    """Return the literal texts that a tag or filter gets outside _()."""
    texts = []
    for tag in TAG_PATTERN.findall(INVISIBLE_PATTERN.sub("", TRANSLATED_BLOCK_PATTERN.sub("", source))):
        parts = list(smart_split(tag[2:-2].strip()))
        if parts[0] not in TAGS_WITHOUT_TEXT:
            texts += [words for part in parts for words in _list_texts(part)]
    return texts


def _list_texts(part: str) -> list[str]:
    key = part.partition("=")[0]
    literals = [words for words in LITERAL_PATTERN.findall(part) if not COMMAND_PATTERN.search(words)]
    return [
        words
        for words in literals
        if LETTERS_PATTERN.search(words) and (key in TEXT_ARGUMENTS or PHRASE_PATTERN.search(words))
    ]


def find_translated_attributes(source: str) -> list[str]:
    """Return the tags with a translation in their name, class, or URL, which would break them."""
    markup_only = TAG_PATTERN.sub(
        lambda tag: tag[0].replace("<", "‹").replace(">", "›").replace('"', "'"), INVISIBLE_PATTERN.sub("", source)
    )
    return [
        tag
        for tag in MARKUP_PATTERN.findall(markup_only)
        if TRANSLATE_TAG_PATTERN.search(OTHER_ATTRIBUTE_PATTERN.sub("", tag))
    ]


def is_checked(path) -> bool:
    return relative_name(path) not in UNTRANSLATED_TEMPLATES and not relative_name(path).startswith(STYLE_GUIDE)


def search_templates(find) -> dict[str, list[str]]:
    return {relative_name(path): words for path in TEMPLATES if is_checked(path) and (words := find(path))}


def test_templates_have_no_untranslated_text():
    def find(path) -> list[str]:
        return find_untranslated_texts(path.read_text(), markup=path.suffix in (".html", ".svg"))

    assert search_templates(find) == {}


def test_components_receive_no_untranslated_text():
    assert search_templates(lambda path: find_untranslated_literals(path.read_text())) == {}


def test_no_class_name_or_url_is_translated():
    def find(path) -> list[str]:
        return find_translated_attributes(path.read_text()) if path.suffix == ".html" else []

    assert search_templates(find) == {}


def test_no_plural_is_built_from_a_suffix():
    assert search_templates(lambda path: re.findall(r"\|pluralize[^%}]*", path.read_text())) == {}


def test_excluded_templates_exist():
    assert [path for path in UNTRANSLATED_TEMPLATES if not (ROOT / path).exists()] == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<p>Hello there</p>", ["Hello there"]),
        ('<p>{% translate "Hello" %} {{ name }}, you</p>', [", you"]),
        ('<a title="Continue" href="{% url "dashboard:home" %}?partner=3">{{ name }}</a>', ["Continue"]),
        ("{% blocktranslate %}Hello <b>there</b>{% endblocktranslate %}<hr>&nbsp;·", []),
        ('<img alt="{% translate "A rocket" %}" class="picture wide">{# a rocket #}', []),
    ],
)
def test_untranslated_text_is_found(source, expected):
    assert find_untranslated_texts(source, markup=True) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('{% panel heading="Versions" %}', ["Versions"]),
        ('{% panel heading=_("Versions") %}', []),
        ('{% evidence summary="integrations" %}', ["integrations"]),
        ('{{ name|default:"nobody in particular" }}', ["nobody in particular"]),
        ('{{ moment|date:"D j M, H:i" }}{% if state == "in force" %}{% endif %}', []),
    ],
)
def test_untranslated_literal_is_found(source, expected):
    assert find_untranslated_literals(source) == expected


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ('<p class="field {% translate "wrong" %}">', 1),
        ('<{% translate "div" %} class="x">', 1),
        ('<p class="x" title="{% translate "Wrong" %}">', 0),
    ],
)
def test_translated_attribute_is_found(source, count):
    assert len(find_translated_attributes(source)) == count
