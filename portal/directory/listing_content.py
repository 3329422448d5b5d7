"""Public content of a listing: the answers that its program marks as public."""

from collections.abc import Iterator
from dataclasses import dataclass

from integrations.programs.requirements import Question, Requirement
from integrations.programs.schema import Tier
from integrations.submissions.models import Document, Integration
from integrations.submissions.public_status import LISTED_STATUS, PublicListingStatus, get_public_listing_status
from integrations.submissions.services import documents

# SVG files are sanitized when they are uploaded.
IMAGE_CONTENT_TYPES = {"png": "image/png", "jpeg": "image/jpeg", "svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class PublicAnswer:
    """Public answer with its public name."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class ListingContent:
    """Public content of a listed integration: texts, links, and whether it has a logo."""

    row: Integration
    listing_status: PublicListingStatus
    tier: Tier | None
    category: str
    texts: tuple[PublicAnswer, ...]
    links: tuple[PublicAnswer, ...]
    has_logo: bool

    @property
    def blurb(self) -> str:
        """Return the first text of the partner."""
        return self.texts[0].text if self.texts else self.row.description

    @property
    def one_line(self) -> str:
        return self.blurb.split("\n")[0]


def build_listing_content(row: Integration, *, is_preview: bool = False) -> ListingContent:
    """Return the public content of an integration, with answers in the order of the program and without duplicates.

    A preview shows the status and the tier that the integration will have when it is published.
    """
    public_answer_pairs = list(iterate_public_answers(row))
    listing_status = LISTED_STATUS if is_preview else get_public_listing_status(row)
    tier = row.edition.release_tier if is_preview else row.edition.get_tier(row.tier)
    category = row.edition.get_category(row.category)
    return ListingContent(
        row=row,
        listing_status=listing_status,
        tier=tier if listing_status.shows_tier else None,
        category=category.name if category else "",
        texts=tuple({answer.text: answer for field, answer in public_answer_pairs if field.type != "url"}.values()),
        links=tuple({answer.text: answer for field, answer in public_answer_pairs if field.type == "url"}.values()),
        has_logo=any(
            row.fulfillments_by_id[requirement.id].data.get("documents")
            for requirement in list_answered_requirements(row)
            if requirement.show_on_listing
        ),
    )


def iterate_public_answers(row: Integration) -> Iterator[tuple[Question, PublicAnswer]]:
    """Yield the answers to public questions."""
    for requirement in list_answered_requirements(row):
        data = row.fulfillments_by_id[requirement.id].data
        for field in requirement.fields:
            value = data.get(field.key)
            if field.listing_label and isinstance(value, str) and value:
                yield field, PublicAnswer(field.listing_label, value)


def list_answered_requirements(row: Integration) -> list[Requirement]:
    return [requirement for requirement in row.edition.list_requirements() if requirement.id in row.fulfillments_by_id]


def get_logo(row: Integration) -> Document | None:
    """Return the latest image that the partner uploaded for the listing, or None."""
    for requirement in list_answered_requirements(row):
        current_documents = documents.list_current_documents(row, requirement.id) if requirement.show_on_listing else []
        images = [document for document in current_documents if document.kind in IMAGE_CONTENT_TYPES]
        if images:
            return images[-1]
    return None
