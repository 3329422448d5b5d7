"""Entries that everyone can find: help pages, glossary terms, checks, programs, and published providers."""

from collections.abc import Iterator
from functools import partial

from django.urls import reverse
from django.utils.html import strip_tags

from integrations.programs.models import RegistryProvider
from integrations.programs.registry import PROGRAMS
from portal.help.rules import URL_NAME_BY_FILE, load_sections
from portal.search.entries import build_entry, get_source
from portal.search.models import Audience, Kind, SearchEntry
from portal.ui.content import glossary
from verification.checks.types import CHECKS

DOCUMENTATION_SOURCE = "documentation"
PAGES = {
    "help:getting_started": "Getting started",
    "help:glossary": "Glossary",
    "checks:help": "Checks",
    "api:docs": "API reference",
    "directory:list": "Directory",
    "directory:verify_badge": "Verify a badge",
    "status:index": "Status",
}
build_public_entry = partial(build_entry, audience=Audience.EVERYONE, source=DOCUMENTATION_SOURCE)


def build_documentation_entries() -> Iterator[SearchEntry]:
    """Return the entries of all programs and help pages in the default language."""
    for program in PROGRAMS.values():
        url = reverse("submissions:program", args=[program.key])
        yield build_public_entry(
            Kind.PROGRAM, program.key, program.name, program.summary, url=url, subtitle=program.product
        )
    for name, title in PAGES.items():
        yield _build_page_entry(title, reverse(name))
    for file, name in URL_NAME_BY_FILE.items():
        url = reverse(name)
        sections = load_sections(file, frozenset())
        for section in sections:
            yield _build_page_entry(section.title, f"{url}#{section.id}", strip_tags(section.body), sections[0].title)
    for chapter in glossary.CHAPTERS:
        for term in chapter.terms:
            yield _build_page_entry(term.name, glossary.build_url(term.key), term.definition, "Glossary")
    for key, check in CHECKS.items():
        url = reverse("checks:check_help", args=[key])
        text = f"{key} {check.expectation} {check.advice}"
        yield _build_page_entry(check.title, url, text, "Checks")


def build_provider_entry(provider: RegistryProvider) -> SearchEntry:
    texts = (provider.full_name, provider.description)
    source = get_source(provider)
    return build_public_entry(Kind.PROVIDER, provider.pk, *texts, url=provider.source, source=source)


def _build_page_entry(title: str, url: str, text: str = "", subtitle: str = "") -> SearchEntry:
    return build_public_entry(Kind.DOCUMENTATION, url, title, text, url=url, subtitle=subtitle)
