"""Texts of verification results, for the page and the command."""

from dataclasses import dataclass

from django.utils.translation import gettext_noop

from portal.directory.badges.statements import StatementVerdict, VerificationResult
from portal.directory.badges.status import BadgeStatus


@dataclass(frozen=True, slots=True)
class VerdictText:
    """Text of a verdict with its tone and the exit code of the command (0 genuine, 1 not genuine, 2 unreadable)."""

    heading: str
    sentence: str
    tone: str
    code: int


VERDICT_TEXTS: dict[StatementVerdict, VerdictText] = {
    StatementVerdict.GENUINE: VerdictText(
        gettext_noop("Genuine"), gettext_noop("The portal signed this statement, and it has not expired."), "good", 0
    ),
    StatementVerdict.EXPIRED: VerdictText(
        gettext_noop("Genuine, but expired"),
        gettext_noop("The portal signed this statement, but it has expired. Request a new statement."),
        "warn",
        1,
    ),
    StatementVerdict.EARLY: VerdictText(
        gettext_noop("Genuine, but dated in the future"),
        gettext_noop(
            "The portal signed this statement, but its date is in the future. Check the clock of your device, then try "
            "again."
        ),
        "warn",
        1,
    ),
    StatementVerdict.ALTERED: VerdictText(
        gettext_noop("Altered"),
        gettext_noop(
            "The signature doesn't match. Someone changed the statement after signing, or copied the signature from "
            "another statement."
        ),
        "bad",
        1,
    ),
    StatementVerdict.FORGED: VerdictText(
        gettext_noop("Forged"),
        gettext_noop("The statement claims to come from this portal, but its signing key is unknown."),
        "bad",
        1,
    ),
    StatementVerdict.FOREIGN: VerdictText(
        gettext_noop("From another portal"),
        gettext_noop("The statement comes from another portal. Verify it there."),
        "warn",
        1,
    ),
    StatementVerdict.UNREADABLE: VerdictText(
        gettext_noop("Not a statement"),
        gettext_noop("The text isn't a statement. Copy the complete statement, from the first brace to the last."),
        "bad",
        2,
    ),
}
CLAIM_LABELS = (
    ("integration", gettext_noop("Integration")),
    ("partner", gettext_noop("Partner")),
    ("program", gettext_noop("Program")),
    ("tier", gettext_noop("Tier")),
    ("listing_status", gettext_noop("Listing status")),
    ("sub", gettext_noop("Page")),
    ("iss", gettext_noop("Issued by")),
)


def list_claims(result: VerificationResult) -> list[tuple[str, str]]:
    """Return the label and text of each claim that is not empty."""
    return [(label, format_claim(result.claims[name])) for name, label in CLAIM_LABELS if result.claims.get(name)]


def format_claim(value: object) -> str:
    """Return an untrusted claim as short plain text."""
    return " ".join(str(value).split())[:300]


def has_changed_since(result: VerificationResult, badge_status: BadgeStatus) -> bool:
    """Return whether the current status differs from a genuine statement."""
    claimed_values = [result.claims.get(name, "") for name in ("program", "tier", "listing_status")]
    return claimed_values != [badge_status.program_key, badge_status.tier_key, badge_status.listing_status]
