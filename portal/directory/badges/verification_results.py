"""How is a verdict about a statement said? One table, for the page and for the command."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_noop

from portal.directory.badges.statements import Verdict, Verified
from portal.directory.badges.status import Truth


@dataclass(frozen=True, slots=True)
class Said:
    """A heading, the sentence below it, a tone, and what the command ends with (0 genuine, 1 not, 2 cannot tell)."""

    heading: str
    sentence: str
    tone: str
    code: int


SAID: dict[Verdict, Said] = {
    Verdict.GENUINE: Said(
        gettext_noop("Genuine"), gettext_noop("The portal signed exactly this, and it has not expired."), "good", 0
    ),
    Verdict.EXPIRED: Said(
        gettext_noop("Genuine, but expired"),
        gettext_noop("The portal signed exactly this, but it says nothing about today any more. Ask for a fresh one."),
        "warn",
        1,
    ),
    Verdict.EARLY: Said(
        gettext_noop("Genuine, but dated in the future"),
        gettext_noop(
            "The portal signed exactly this, for a moment that has not come yet by this clock. "
            "Set the clock, try again."
        ),
        "warn",
        1,
    ),
    Verdict.ALTERED: Said(
        gettext_noop("Altered"),
        gettext_noop(
            "The signature does not fit: the portal never signed this text. It was changed after it was signed, or the "
            "signature was taken from another statement."
        ),
        "bad",
        1,
    ),
    Verdict.FORGED: Said(
        gettext_noop("Forged"),
        gettext_noop("It claims to be of this portal, but names a key that this portal does not have."),
        "bad",
        1,
    ),
    Verdict.FOREIGN: Said(
        gettext_noop("Of another portal"),
        gettext_noop(
            "It does not claim to be of this portal, so only the portal that it names can tell whether it is genuine."
        ),
        "warn",
        1,
    ),
    Verdict.UNREADABLE: Said(
        gettext_noop("Not a statement"),
        gettext_noop(
            "This cannot be read as a statement. Copy it whole, from the first brace to the last, without "
            "anything else."
        ),
        "bad",
        2,
    ),
}
WORDS = (
    ("integration", gettext_noop("Integration")),
    ("partner", gettext_noop("Company")),
    ("program", gettext_noop("Program")),
    ("tier", gettext_noop("Tier")),
    ("standing", gettext_noop("Standing")),
    ("sub", gettext_noop("Page")),
    ("iss", gettext_noop("Issued by")),
)


def told(verified: Verified) -> list[tuple[str, str]]:
    """What a statement says, as (word, text); what it leaves blank is left out."""
    return [(word, text_of(verified.claims[name])) for name, word in WORDS if verified.claims.get(name)]


def text_of(value: Any) -> str:
    """A claim that anybody may have written, as short plain text."""
    return " ".join(str(value).split())[:300]


def differs(verified: Verified, truth: Truth) -> bool:
    """Whether the portal says something else now than a statement that it signed."""
    said = [verified.claims.get(name, "") for name in ("program", "tier", "standing")]
    return said != [truth.program_key, truth.tier_key, truth.standing]
