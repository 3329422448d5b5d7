"""Does a reader of another language meet English words that nobody can translate? Main pages and a mail say so.

What stands outside the brackets of the pseudo language must be data of the cast, a text that was recorded or
published as it is, or one of EXPECTED.
"""

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import pytest
from django.apps import apps
from django.utils.translation import get_language, gettext, ngettext

from integrations.programs import PROGRAMS
from integrations.workflow import perform
from portal.models import Email
from tests.portal import pseudo
from tests.portal.asking import asked, client_of
from tests.portal.everything import address

PAGES = {
    "anonymous": ("home", "start", "listed", "listing", "start_program", "program", "words"),
    "alice": (
        "home",
        "integration",
        "requirement",
        "issue",
        "profile",
        "notification_choices",
        "webhooks",
        "tokens",
        "status",
    ),
    "rita": ("queue", "review", "sla"),
}
EXPECTED = {
    "Alice": "a given name, in the button of the reader's menu",
    "Rita": "a given name, in the button of the reader's menu",
    "acme/booster#1": "the name of an issue",
    "uma (reporter": "why a clock stands or runs, as the rule of the clock writes it down",
    "Confirm": "the turn, as it was written down",
    "Met": "what a requirement was answered with, as it was written down",
    "CSV": "the name of a format",
    "XLSX": "the name of a format",
    "Engage, Enable, Dev/Test, Review, Release, Support": "steps as the program publishes them",
    "Open Source, Enterprise": "offerings as the program publishes them",
    "Nomad Integration Program, -04": "a published edition",
}
MOMENT = re.compile(r"^\d\. |\b\d{4}\b|\b\d{1,2}:\d\d\b|\b(?:UTC|CET|CEST)\b")
NAMES = re.compile(r"[A-Z]{2}|[A-Z]\w+(?:/[\w +-]+)+")  # initials, time zones
SHORT = 12  # characters: what is shorter must be a whole value, since it may be part of anything


def texts_of(thing: Any) -> Iterator[str]:
    """Every text in a program's dataclasses or in JSON."""
    if isinstance(thing, str):
        yield thing
    elif is_dataclass(thing):
        for field in fields(thing):
            yield from texts_of(getattr(thing, field.name))
    elif isinstance(thing, dict):
        yield from texts_of([*thing, *thing.values()])
    elif isinstance(thing, list | tuple | set | frozenset):
        for each in thing:
            yield from texts_of(each)


def recorded() -> Iterator[str]:
    """Every text in the rows of the world: what the cast wrote, and what was written down for them."""
    for model in apps.get_models():
        if model.__module__.startswith(("portal.", "integrations.", "verification.")):
            for row in model.objects.values():  # type: ignore[attr-defined]
                yield from texts_of(row)


def bare(text: str) -> str:
    return " ".join(text.split()).strip(" .,:;·—–()[]“”")


@pytest.fixture
def known(world: Any) -> set[str]:
    """Texts that are published or recorded, and so stay as they are."""
    published = texts_of([program.editions for program in PROGRAMS.values()] + list(PROGRAMS.values()))
    return {bare(pseudo.LINK.sub(" ", line)) for text in (*published, *recorded()) for line in text.split("\n")}


def unexplained(pieces: list[str], known: set[str]) -> set[str]:
    whole = "\n".join(known)
    parts = {bare(MOMENT.sub("", part)) for piece in pieces for part in piece.split("·")}
    return {
        part
        for part in parts
        if re.search(r"[A-Za-z]{2}", part)
        and not NAMES.fullmatch(part)
        and part not in known
        and not (len(part) >= SHORT and part in whole)
    }


def test_pages_hold_no_words_that_nobody_can_translate(cast: Any, world: Any, known: set[str]) -> None:
    found: dict[str, list[str]] = {}
    for role, names in PAGES.items():
        client = client_of(cast[role])
        for name in names:
            with pseudo.spoken():
                code, answer = asked(client, address(name, world))
            assert code == "200", (role, name)
            page = answer[answer.index("<!doctype html>") :]
            for part in unexplained(pseudo.untranslated(page), known):
                found.setdefault(part, []).append(name)
    assert {part: names for part, names in found.items() if part not in EXPECTED} == {}
    assert sorted(set(EXPECTED) - set(found)) == []


def test_a_mail_holds_no_words_that_nobody_can_translate(
    cast: Any, world: Any, known: set[str], settings: Any, now: Any
) -> None:
    with pseudo.spoken():
        settings.LANGUAGE_CODE = pseudo.CODE  # mails are in the portal's own language, whoever caused them
        perform(world["integration"], "put_on_hold", by=cast["rita"], note="Legal looks at it.", waits_for="program")
    mail = Email.objects.filter(name="held").latest("pk")
    both = [*pseudo.untranslated(mail.html), *pseudo.untranslated(mail.text, markup=False)]
    assert unexplained(both, known | {"Legal looks at it"}) - set(EXPECTED) == set()
    assert mail.subject.startswith(pseudo.OPEN)


def test_words_outside_of_the_brackets_are_found() -> None:
    page = (
        '<p title="Go on">⟦Hello ⟦there⟧⟧, <b>you</b></p><code>git push</code><a href="https://acme.example">⟦Site⟧</a>'
    )
    assert pseudo.untranslated(page) == ["Go on", "you"]


def test_the_pseudo_language_is_gone_afterwards() -> None:
    with pseudo.spoken():
        said = get_language(), gettext("Hello"), ngettext("a day", "days", 2)
    assert said == (pseudo.CODE, "⟦Hello⟧", "⟦days⟧")
    assert (get_language(), gettext("Hello")) == ("en", "Hello")
