"""The glossary: terms of the portal and their definitions, from glossary.yaml."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from django.urls import reverse
from pydantic import StringConstraints, TypeAdapter

from portal.core.content_files import Content, load_content
from portal.ui.components.inline import OUTCOMES
from verification.checks.documentation import OUTCOME_DESCRIPTIONS
from verification.outcomes import Outcome

GLOSSARY = Path(__file__).with_name("glossary.yaml")
Text = Annotated[str, StringConstraints(min_length=1)]


@dataclass(frozen=True, slots=True)
class GlossaryTerm(Content):
    """A term: its anchor on the page of the glossary, its name, and its definition in a sentence or two.

    Attributes:
        explains: What the term stands for in code, for example "stage:review".
        page: The URL name of a page with more information, linked with `link_text`.
    """

    key: Text
    name: Text
    definition: Text
    explains: tuple[str, ...] = ()
    page: str = ""
    link_text: str = ""


@dataclass(frozen=True, slots=True)
class GlossaryChapter(Content):
    """Terms that belong together, with a sentence about their subject."""

    key: Text
    name: Text
    description: Text
    terms: tuple[GlossaryTerm, ...]


@dataclass(frozen=True, slots=True)
class Glossary(Content):
    """The content of a glossary file. `translatable` names the keys whose values are messages."""

    translatable: tuple[str, ...]
    chapters: tuple[GlossaryChapter, ...]


def load_glossary(path: Path) -> tuple[GlossaryChapter, ...]:
    """Return the chapters of a glossary file, with the outcomes of checks after the term "check".

    Raises:
        ContentError: The file is not valid.
    """
    glossary = load_content(path, TypeAdapter(Glossary))
    return tuple(_add_outcomes(chapter) if chapter.key == "checks" else chapter for chapter in glossary.chapters)


def _add_outcomes(chapter: GlossaryChapter) -> GlossaryChapter:
    """Return a chapter with a term for each outcome of a check after its first term."""
    first, *others = chapter.terms
    outcomes = (
        GlossaryTerm(
            key=f"verdict-{outcome}".replace("_", "-"),
            name=OUTCOMES[str(outcome)][2],
            definition=OUTCOME_DESCRIPTIONS[outcome],
            explains=(f"outcome:{outcome}",),
        )
        for outcome in Outcome
    )
    return replace(chapter, terms=(first, *outcomes, *others))


CHAPTERS = load_glossary(GLOSSARY)
TERMS_BY_KEY: dict[str, GlossaryTerm] = {term.key: term for chapter in CHAPTERS for term in chapter.terms}


def build_url(key: str) -> str:
    """Return the address of a term's definition. Raises KeyError for an unknown term."""
    return f"{reverse('help:glossary')}#{TERMS_BY_KEY[key].key}"
