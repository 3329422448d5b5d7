"""What does the public see of a listed integration? What its program marks as public, and nothing else."""

from collections.abc import Iterator
from dataclasses import dataclass

from integrations.compliance.public_status import Public, public
from integrations.programs.schema import Field, Requirement, Tier
from integrations.submissions.models import Document, Integration
from integrations.submissions.selectors.context import states_of
from integrations.submissions.services import documents

PICTURES = {"png": "image/png", "jpeg": "image/jpeg"}  # raster pictures alone: a drawing can hold a script


@dataclass(frozen=True, slots=True)
class Told:
    """One public answer under its public name."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Face:
    """One listed integration as shown to everyone. `texts` are prose, `links` addresses that the partner gave."""

    row: Integration
    standing: Public
    tier: Tier | None
    category: str
    texts: tuple[Told, ...]
    links: tuple[Told, ...]
    has_logo: bool

    @property
    def blurb(self) -> str:
        """What its company says of it, first of all."""
        return self.texts[0].text if self.texts else self.row.description

    @property
    def one_line(self) -> str:
        return self.blurb.split("\n")[0]


def listing_of(row: Integration) -> Face:
    """The listing of an integration: public answers in the order in which the program asks, each text once."""
    told, standing = list(public_answers(row)), public(row)
    category = row.edition.category(row.category)
    return Face(
        row=row,
        standing=standing,
        tier=row.edition.tier(row.tier) if standing.shows_tier else None,
        category=category.name if category else "",
        texts=tuple({each.text: each for field, each in told if field.type != "url"}.values()),
        links=tuple({each.text: each for field, each in told if field.type == "url"}.values()),
        has_logo=any(states_of(row)[r.id].data.get("documents") for r in answered(row) if r.public),
    )


def public_answers(row: Integration) -> Iterator[tuple[Field, Told]]:
    """Every answer to a question that is marked as public."""
    for requirement in answered(row):
        data = states_of(row)[requirement.id].data
        for field in requirement.fields:
            value = data.get(field.key)
            if field.public and isinstance(value, str) and value:
                yield field, Told(field.public, value)


def answered(row: Integration) -> list[Requirement]:
    return [requirement for requirement in row.edition.requirements() if requirement.id in states_of(row)]


def logo_of(row: Integration) -> Document | None:
    """The newest picture that was handed in for the listing."""
    for requirement in answered(row):
        kept = documents.current(row, requirement.id) if requirement.public else []
        pictures = [document for document in kept if document.kind in PICTURES]
        if pictures:
            return pictures[-1]
    return None
