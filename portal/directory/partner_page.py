"""Partner cards of the run task page."""

from dataclasses import dataclass, field

from integrations.programs.registry import PROGRAMS
from portal.directory.models import Listing

RUN_TASK_PROGRAM = PROGRAMS["terraform-run-task"]


@dataclass(slots=True)
class PartnerCard:
    """Partner with its listed run tasks."""

    name: str
    slug: str
    listings: list[Listing] = field(default_factory=list)
    summaries: list[str] = field(default_factory=list)

    @property
    def logo(self) -> Listing:
        """Return the listing whose logo the card shows."""
        return next((row for row in self.listings if row.has_logo), self.listings[0])


def list_partner_cards() -> list[PartnerCard]:
    """Return the partners with a listed run task, sorted by name, with one query."""
    cards_by_slug: dict[str, PartnerCard] = {}
    rows = Listing.objects.filter(program=RUN_TASK_PROGRAM.key, listing_status="listed")
    for row in rows.order_by("publisher", "name_plain", "pk"):
        card = cards_by_slug.setdefault(row.publisher_slug, PartnerCard(row.publisher, row.publisher_slug))
        card.listings.append(row)
        if row.blurb and row.blurb not in card.summaries:  # partners often use one summary for all integrations
            card.summaries.append(row.blurb)
    return sorted(cards_by_slug.values(), key=lambda card: card.name.casefold())
