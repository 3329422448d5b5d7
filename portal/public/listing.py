"""What does the public see of a listed integration? Its answers to what the listing asks, and nothing else."""

from dataclasses import dataclass

from integrations.models import Integration
from integrations.programs.base import Tier

PUBLIC_ANSWERS = {"summary": "summary", "text": "text", "documentation": "documentation", "page": "page"}


@dataclass(frozen=True, slots=True)
class Listing:
    """One listed integration as shown to everyone. Addresses come from the partner."""

    row: Integration
    tier: Tier | None
    category: str
    summary: str
    text: str
    documentation: str
    page: str

    @property
    def one_line(self) -> str:
        return (self.summary or self.text or self.row.description).split("\n")[0]


def listing_of(row: Integration) -> Listing:
    """The listing of an integration, from the answers that its program's listing is made of."""
    found = dict.fromkeys(PUBLIC_ANSWERS, "")
    for state in row.states.all():
        for key in PUBLIC_ANSWERS:
            value = state.data.get(key)
            if isinstance(value, str) and not found[key]:
                found[key] = value
    category = row.edition.category(row.category)
    return Listing(row=row, tier=row.edition.tier(row.tier), category=category.name if category else "", **found)
