"""The glossary: terms of the portal and their definitions, from glossary.yaml."""

from functools import cache
from typing import Annotated

from django.urls import reverse
from pydantic import StringConstraints

from portal.core.content_files import Content, load_section
from verification.outcomes import Outcome

Text = Annotated[str, StringConstraints(min_length=1)]


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


class GlossaryChapter(Content):
    """Terms that belong together, with a sentence about their subject."""

    key: Text
    name: Text
    description: Text
    terms: tuple[GlossaryTerm, ...]


CHAPTERS = load_section("portal/ui/content/glossary.yaml", "chapters", tuple[GlossaryChapter, ...])
TERMS_BY_KEY: dict[str, GlossaryTerm] = {term.key: term for chapter in CHAPTERS for term in chapter.terms}
# what each outcome of a check means for the partner
OUTCOME_DESCRIPTIONS = {outcome: TERMS_BY_KEY[f"outcome-{outcome}".replace("_", "-")].definition for outcome in Outcome}


@cache
def build_url(key: str) -> str:
    """Return the address of a term's definition. Raises KeyError for an unknown term."""
    return f"{reverse('help:glossary')}#{TERMS_BY_KEY[key].key}"
