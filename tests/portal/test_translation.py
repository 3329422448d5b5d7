"""Tests that pages and emails contain no text that cannot be translated.

Text outside the brackets of the pseudo-language must be data of users, a text that was recorded or
published as it is, or one of EXPECTED. Requested messages must be in the catalog for translators.
"""

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import django
import pytest
from django.core.cache import caches
from django.utils.translation import get_language, gettext, ngettext

from integrations.programs.registry import PROGRAMS
from integrations.reviews.finding_templates import TEMPLATES_BY_PROGRAM
from integrations.sla.selectors.policies import DEFAULT_LABELS
from integrations.submissions.services.transitions import perform_transition
from portal.core.holidays import list_countries
from portal.jobs.registry import JOBS
from portal.notifications.models import EmailMessage
from tests.portal import pseudo_language, translatable_messages
from tests.portal.button_requests import list_button_requests
from tests.portal.crawl import Crawl
from tests.portal.database_texts import find_texts, list_database_texts
from tests.portal.rollback_requests import create_client, post_form, roll_back
from verification.sources.factory import get_credential

pytestmark = pytest.mark.any_database

METHODS_BY_ROLE = {
    "anonymous": ("get_responses",),
    "alice": ("get_responses", "post_responses"),
    "rita": ("get_responses", "post_responses"),
    "sam": ("get_responses",),
}
UNTRANSLATED_PAGES = {
    "help:clock_help": "docs/explanation/sla-clock.md, which is not translated",
    "help:compliance_help": "docs/explanation/compliance.md, which is not translated",
    "api:docs": "the documentation of the API",
    "api:docs_group": "the documentation of the API",
    "styleguide:styleguide": "for designers, with samples that look like data",
}
EXPECTED = {
    "Alice": "a given name, in the button of the reader's menu",
    "Rita": "a given name, in the button of the reader's menu",
    "Sam": "a given name, in the button of the reader's menu",
    "Met": "the recorded answer of a requirement",
    "Rita Reyes dismissed the request": "evidence, the same for both sides and frozen with decisions",
    "The schema didn't change from to": "the result of a comparison, which files and commands show too",
    "Booster by Acme: Verified in the Nomad program": "the text of a badge, the same for every reader",
    "Engage, Enable, Dev/Test, Review, Release, Support": "steps as the program publishes them",
    "Engage, Enable, Develop and Test, Review, Release, Support": "steps as the program publishes them",
    "Open Source, Enterprise": "offerings as the program publishes them",
    "Nomad Integration Program, -04": "a published edition",
    "Pad": "a resource of the provider",
    "SLA week 16: no targets due, 0 at risk – Acme": "the subject of an email, in the language of the portal",
    "rocket_pad": "a resource of the provider",
    "rocket.rocket.upbound.io": "an API group of the provider",
}
FORMATS = {"CSV", "XLSX", "HTML", "Markdown", "AsciiDoc"}
MOMENT = re.compile(r"^\d\. |\b\d{4}\b|\b\d{1,2}:\d\d\b|\b(?:UTC|CET|CEST)\b")
NAMES = re.compile(r"[A-Z]{2}|[A-Z]\w+(?:/[\w +-]+)+|ptl_\w+…|[a-z_]+\.[a-z_]+")  # initials, zones, tokens, kinds
MSGID = re.compile(r'^msgid(?:_plural)? (".*")$', re.MULTILINE)
SHORT = 12  # characters; a shorter text must match a whole value, since it can be part of any text


def normalize_text(text: str) -> str:
    return " ".join(text.split()).strip(" .,:;·—–()[]“”")


def list_proper_names() -> Iterator[str]:
    """Return names that are the same in every language or are set by operators."""
    yield from FORMATS
    yield from (name for _code, name in list_countries())
    yield from (job.name for job in JOBS)
    yield from (type(caches["default"]).__name__, get_credential()[0])
    yield from (", ".join(sorted(labels)) for labels in vars(DEFAULT_LABELS).values())


class KnownTexts:
    """Texts that are published or recorded, and so aren't translated."""

    def __init__(self, recorded_texts: Iterable[str]) -> None:
        published_texts = find_texts(
            [program.editions for program in PROGRAMS.values()] + [*PROGRAMS.values(), *TEMPLATES_BY_PROGRAM.values()]
        )
        texts = (*published_texts, *recorded_texts, *list_proper_names())
        lines = {line for text in texts for line in text.split("\n")}
        self.lines = {normalize_text(pseudo_language.LINK.sub(" ", line)) for line in lines} | {
            normalize_text(MOMENT.sub("", line)) for line in lines
        }
        self.whole = "\n".join(self.lines)

    def __contains__(self, text: str) -> bool:
        return text in self.lines or (len(text) >= SHORT and text in self.whole)

    def find_unexplained(self, pieces: list[str]) -> set[str]:
        parts = {normalize_text(MOMENT.sub("", part)) for piece in pieces for part in piece.split("·")}
        words = {part for part in parts if re.search(r"[A-Za-z]{2}", part) and not NAMES.fullmatch(part)}
        return {part for part in words if part not in self}


def list_pages(crawl: Crawl, methods: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Return (name, page) of every answered page, including refused forms."""
    for method in methods:
        for name, answer in getattr(crawl, method).items():
            if name not in UNTRANSLATED_PAGES and "<!doctype html>" in answer.text:
                page = answer.text[answer.text.index("<!doctype html>") :]
                yield name, page.replace("<wbr>", "")  # within an email address


def test_pages_have_no_untranslatable_text(crawl: Callable[[str], Crawl]) -> None:
    pages_by_text: dict[str, set[str]] = {}
    asked_for: set[str] = set()
    for role, methods in METHODS_BY_ROLE.items():
        answers = crawl(role)
        asked_for |= answers.messages
        known = KnownTexts(answers.recorded_texts)
        for name, page in list_pages(answers, methods):
            for part in known.find_unexplained(pseudo_language.find_untranslated_texts(page)):
                pages_by_text.setdefault(part, set()).add(name)
    assert {part: names for part, names in pages_by_text.items() if part not in EXPECTED} == {}
    assert sorted(set(EXPECTED) - set(pages_by_text)) == []
    assert sorted(asked_for - translatable_messages.list_translatable_messages() - list_django_messages()) == []


def list_django_messages() -> set[str]:
    """Return the messages of Django's own catalog."""
    lists = Path(django.__file__).parent.glob("conf/locale/en/LC_MESSAGES/django.po")
    return {ast.literal_eval(text) for path in lists for text in MSGID.findall(path.read_text("utf-8"))}


def list_bracketed_texts() -> Iterator[str]:
    """Return the bracketed texts in the database."""
    yield from (text for text in list_database_texts() if pseudo_language.OPEN in text)


def test_nothing_is_stored_in_the_language_of_the_actor(users: Any, world: Any) -> None:
    pages_by_text: dict[str, set[str]] = {}
    for role in ("alice", "rita"):
        client = create_client(users[role])
        cookies = deepcopy(client.cookies)
        for label, (url, form_data) in sorted(list_button_requests(world).items()):
            with pseudo_language.activate_pseudo_language(), roll_back() as attempt:
                post_form(client, url, form_data)
                if any(query.startswith(("INSERT", "UPDATE")) for query in attempt.queries):
                    pages_by_text.setdefault(label, set()).update(list_bracketed_texts())
            client.cookies = deepcopy(cookies)
    assert len(pages_by_text) > 40
    assert {label: texts for label, texts in pages_by_text.items() if texts} == {}


def test_emails_have_no_untranslatable_text(users: Any, world: Any, settings: Any) -> None:
    with pseudo_language.activate_pseudo_language():
        settings.LANGUAGE_CODE = (
            pseudo_language.CODE
        )  # emails are in the portal's default language, whoever caused them
        perform_transition(
            world["integration"],
            "put_on_hold",
            actor=users["rita"],
            note="Legal looks at it.",
            waits_for="program",
        )
    mail = EmailMessage.objects.filter(name="integration_on_hold").latest("pk")
    both = [
        *pseudo_language.find_untranslated_texts(mail.html),
        *pseudo_language.find_untranslated_texts(mail.text, markup=False),
    ]
    known = KnownTexts([*list_database_texts(), "> Legal looks at it"])
    assert known.find_unexplained(both) - set(EXPECTED) == set()
    assert mail.subject.startswith(pseudo_language.OPEN)


def test_untranslated_text_is_found() -> None:
    page = '<p title="Continue">⟦Hello ⟦there⟧⟧, <b>you</b></p><code>git push</code><a href="https://acme.example">⟦Site⟧</a>'
    assert pseudo_language.find_untranslated_texts(page) == ["Continue", "you"]


def test_pseudo_language_is_deactivated_afterwards() -> None:
    with pseudo_language.activate_pseudo_language():
        translations = get_language(), gettext("Hello"), ngettext("a day", "days", 2)
    assert translations == (pseudo_language.CODE, "⟦Hello⟧", "⟦days⟧")
    assert (get_language(), gettext("Hello")) == ("en", "Hello")


def test_messages_of_modules_and_templates_are_found() -> None:
    template = (
        '{% translate "Continue" %}{% panel heading=_("It\'s now") %}'
        "{% blocktranslate count n=n %}a day{% plural %}{{ n }} days{% endblocktranslate %}"
    )
    assert [*translatable_messages.list_template_messages(template)] == ["Continue", "It's now", "a day", "%(n)s days"]
    assert [
        *translatable_messages.list_module_messages(
            'said = _("Cont" "inue"), ngettext("a day", "days", n), show("not this")'
        )
    ] == [
        "Continue",
        "a day",
        "days",
    ]
