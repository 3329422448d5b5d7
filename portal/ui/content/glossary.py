"""The glossary: terms of the portal and their definitions, from glossary.yaml."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from django.urls import reverse
from django.utils.translation import gettext_noop
from pydantic import StringConstraints, TypeAdapter

from portal.core.content_files import Content, load_content
from portal.ui.components.inline import OUTCOMES
from verification.outcomes import Outcome

GLOSSARY = Path(__file__).with_name("glossary.yaml")
# what each outcome of a check means for the partner
OUTCOME_DESCRIPTIONS = {
    Outcome.PASS: gettext_noop("The evidence fulfills the requirement."),
    Outcome.WARN: gettext_noop("This doesn't block the review. We recommend a change."),
    Outcome.FAIL: gettext_noop("This doesn't fulfill the requirement. Follow the advice, then run checks again."),
    Outcome.ERROR: gettext_noop(
        "An outage on our side or at an external service stopped this check. We'll try again automatically. No "
        "action needed."
    ),
    Outcome.NOT_RUN: gettext_noop(
        "The check didn't run for the reason shown. It doesn't count as passed. A reviewer often decides."
    ),
    Outcome.WAIVED: gettext_noop("The program waived this check for a limited time and gave a reason."),
    Outcome.STALE: gettext_noop("The last result is too old to count. We'll run the check again."),
}
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
