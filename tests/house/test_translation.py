"""Tests that templates contain no text outside translate and blocktranslate."""

import html
import re

import pytest
from django.utils.text import smart_split

from tests.house.source import ROOT, name, template_files

OURS = template_files()
PLAIN = {
    "templates/500.html": "must come when everything is broken, the translations too",
}
SAMPLES = "portal/styleguide/templates/styleguide/"  # its parts show data, not texts of the portal

UNSEEN = re.compile(
    r"{%\s*comment\b.*?{%\s*endcomment\s*%}|{#.*?#}|<!--.*?-->|<(script|style|code)\b.*?</\1>"
    r"|{%\s*block (href|og_\w+)\s*%}.*?{%\s*endblock\s*%}"  # URLs and protocol keywords
    r"|\]\(<.*?>\)",  # URLs in Markdown
    re.DOTALL,
)
TRANSLATED_BLOCK_PATTERN = re.compile(r"{%\s*blocktranslate\b.*?{%\s*endblocktranslate\s*%}", re.DOTALL)
DJANGO = re.compile(r"{%.*?%}|{{.*?}}", re.DOTALL)
MARKUP = re.compile(r"""<[A-Za-z/!\0{](?:"[^"]*"|[^">])*>""")
ATTRIBUTES = re.compile(r"""[\s"](?:title|aria-label|placeholder|alt)="([^"]*)\"""")
LETTERS = re.compile(r"[A-Za-z]{2}")
TRANSLATE_TAG_PATTERN = re.compile(r"{%\s*(?:block)?translate\b")
OTHER_VALUES = re.compile(r"""\s(?:title|aria-label|placeholder|alt|content|value)=(?:"[^"]*"|'[^']*')""")

# Component arguments that are always text for readers. Other literals count only if they look like words.
READ = {
    "heading",
    "label",
    "caption",
    "summary",
    "sentence",
    "aside",
    "advice",
    "noun",
    "reason",
    "what",
    "wait",
    "title",
}
PHRASE = re.compile(r"[a-z,.:] [a-zA-Z]|^[A-Z][a-z]+")
LITERAL = re.compile(r"""(?<!_\()(?<!date:)(?<!time:)"([^"]*)\"""")
NO_WORDS = {
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
    visible_source = DJANGO.sub("\0", TRANSLATED_BLOCK_PATTERN.sub("\0", UNSEEN.sub("", source)))
    texts = []
    if markup:
        texts += [value for tag in MARKUP.findall(visible_source) for value in ATTRIBUTES.findall(tag)]
        visible_source = MARKUP.sub("\0", visible_source)
    texts += visible_source.split("\0")
    return [" ".join(text.split()) for text in map(html.unescape, texts) if LETTERS.search(text)]


def find_untranslated_literals(source: str) -> list[str]:
    """Return the literal texts that a tag or filter gets outside _()."""
    texts = []
    for tag in DJANGO.findall(UNSEEN.sub("", TRANSLATED_BLOCK_PATTERN.sub("", source))):
        parts = list(smart_split(tag[2:-2].strip()))
        if parts[0] not in NO_WORDS:
            texts += [words for part in parts for words in _words_of(part)]
    return texts


def _words_of(part: str) -> list[str]:
    key = part.partition("=")[0]
    literals = [words for words in LITERAL.findall(part) if not COMMAND_PATTERN.search(words)]
    return [words for words in literals if LETTERS.search(words) and (key in READ or PHRASE.search(words))]


def find_translated_attributes(source: str) -> list[str]:
    """Return the tags with a translation in their name, class, or URL, which would break them."""
    markup_only = DJANGO.sub(
        lambda tag: tag[0].replace("<", "‹").replace(">", "›").replace('"', "'"), UNSEEN.sub("", source)
    )
    return [tag for tag in MARKUP.findall(markup_only) if TRANSLATE_TAG_PATTERN.search(OTHER_VALUES.sub("", tag))]


def is_checked(path) -> bool:
    return name(path) not in PLAIN and not name(path).startswith(SAMPLES)


def find_in_templates(find) -> dict[str, list[str]]:
    return {name(path): words for path in OURS if is_checked(path) and (words := find(path))}


def test_templates_have_no_untranslated_text():
    def find(path) -> list[str]:
        return find_untranslated_texts(path.read_text(), markup=path.suffix in (".html", ".svg"))

    assert find_in_templates(find) == {}


def test_components_get_no_untranslated_text():
    assert find_in_templates(lambda path: find_untranslated_literals(path.read_text())) == {}


def test_no_class_name_or_url_is_translated():
    def find(path) -> list[str]:
        return find_translated_attributes(path.read_text()) if path.suffix == ".html" else []

    assert find_in_templates(find) == {}


def test_no_plural_is_built_from_a_suffix():
    assert find_in_templates(lambda path: re.findall(r"\|pluralize[^%}]*", path.read_text())) == {}


def test_excluded_templates_exist():
    assert [path for path in PLAIN if not (ROOT / path).exists()] == []


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
def test_find_untranslated_texts(source, expected):
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
def test_find_untranslated_literals(source, expected):
    assert find_untranslated_literals(source) == expected


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ('<p class="field {% translate "wrong" %}">', 1),
        ('<{% translate "div" %} class="x">', 1),
        ('<p class="x" title="{% translate "Wrong" %}">', 0),
    ],
)
def test_find_translated_attributes(source, count):
    assert len(find_translated_attributes(source)) == count
