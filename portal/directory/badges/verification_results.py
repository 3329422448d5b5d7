"""How is a verdict about a statement said? One table, for the page and for the command."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_noop

from portal.directory.badges.statements import StatementVerdict, VerificationResult
from portal.directory.badges.status import BadgeStatus


@dataclass(frozen=True, slots=True)
class VerdictText:
    """A heading, the sentence below it, a tone, and what the command ends with (0 genuine, 1 not, 2 cannot tell)."""

    heading: str
    sentence: str
    tone: str
    code: int


VERDICT_TEXTS: dict[StatementVerdict, VerdictText] = {
    StatementVerdict.GENUINE: VerdictText(
        gettext_noop("Genuine"), gettext_noop("The portal signed exactly this, and it has not expired."), "good", 0
    ),
    StatementVerdict.EXPIRED: VerdictText(
        gettext_noop("Genuine, but expired"),
        gettext_noop("The portal signed exactly this, but it says nothing about today any more. Ask for a fresh one."),
        "warn",
        1,
    ),
    StatementVerdict.EARLY: VerdictText(
        gettext_noop("Genuine, but dated in the future"),
        gettext_noop(
            "The portal signed exactly this, for a moment that has not come yet by this clock. "
            "Set the clock, try again."
        ),
        "warn",
        1,
    ),
    StatementVerdict.ALTERED: VerdictText(
        gettext_noop("Altered"),
        gettext_noop(
            "The signature does not fit: the portal never signed this text. It was changed after it was signed, or the "
            "signature was taken from another statement."
        ),
        "bad",
        1,
    ),
    StatementVerdict.FORGED: VerdictText(
        gettext_noop("Forged"),
        gettext_noop("It claims to be of this portal, but names a key that this portal does not have."),
        "bad",
        1,
    ),
    StatementVerdict.FOREIGN: VerdictText(
        gettext_noop("Of another portal"),
        gettext_noop(
            "It does not claim to be of this portal, so only the portal that it names can tell whether it is genuine."
        ),
        "warn",
        1,
    ),
    StatementVerdict.UNREADABLE: VerdictText(
        gettext_noop("Not a statement"),
        gettext_noop(
            "This cannot be read as a statement. Copy it whole, from the first brace to the last, without "
            "anything else."
        ),
        "bad",
        2,
    ),
}
CLAIM_LABELS = (
    ("integration", gettext_noop("Integration")),
    ("partner", gettext_noop("Company")),
    ("program", gettext_noop("Program")),
    ("tier", gettext_noop("Tier")),
    ("listing_status", gettext_noop("Standing")),
    ("sub", gettext_noop("Page")),
    ("iss", gettext_noop("Issued by")),
)


def list_claims(result: VerificationResult) -> list[tuple[str, str]]:
    """What a statement says, as (word, text); what it leaves blank is left out."""
    return [(label, format_claim(result.claims[name])) for name, label in CLAIM_LABELS if result.claims.get(name)]


def format_claim(value: Any) -> str:
    """A claim that anybody may have written, as short plain text."""
    return " ".join(str(value).split())[:300]


def has_changed_since(result: VerificationResult, badge_status: BadgeStatus) -> bool:
    """Whether the portal says something else now than a statement that it signed."""
    claimed_values = [result.claims.get(name, "") for name in ("program", "tier", "listing_status")]
    return claimed_values != [badge_status.program_key, badge_status.tier_key, badge_status.listing_status]
