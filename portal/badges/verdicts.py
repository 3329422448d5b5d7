"""How is a verdict about a statement said? One table, for the page and for the command."""

from dataclasses import dataclass
from typing import Any

from portal.badges.statement import Verdict, Verified
from portal.badges.truth import Truth


@dataclass(frozen=True, slots=True)
class Said:
    """A heading, the sentence below it, a tone, and what the command ends with (0 genuine, 1 not, 2 cannot tell)."""

    heading: str
    sentence: str
    tone: str
    code: int


SAID: dict[Verdict, Said] = {
    Verdict.GENUINE: Said("Genuine", "The portal signed exactly this, and it has not expired.", "good", 0),
    Verdict.EXPIRED: Said(
        "Genuine, but expired",
        "The portal signed exactly this, but it says nothing about today any more. Ask for a fresh one.",
        "warn",
        1,
    ),
    Verdict.EARLY: Said(
        "Genuine, but dated in the future",
        "The portal signed exactly this, for a moment that has not come yet by this clock. Set the clock, try again.",
        "warn",
        1,
    ),
    Verdict.ALTERED: Said(
        "Altered",
        "The signature does not fit: the portal never signed this text. It was changed after it was signed, or the "
        "signature was taken from another statement.",
        "bad",
        1,
    ),
    Verdict.FORGED: Said(
        "Forged",
        "It claims to be of this portal, but names a key that this portal does not have.",
        "bad",
        1,
    ),
    Verdict.FOREIGN: Said(
        "Of another portal",
        "It does not claim to be of this portal, so only the portal that it names can tell whether it is genuine.",
        "warn",
        1,
    ),
    Verdict.UNREADABLE: Said(
        "Not a statement",
        "This cannot be read as a statement. Copy it whole, from the first brace to the last, without anything else.",
        "bad",
        2,
    ),
}
WORDS = (
    ("integration", "Integration"), ("partner", "Company"), ("program", "Program"), ("tier", "Tier"),
    ("standing", "Standing"), ("sub", "Page"), ("iss", "Issued by"),
)  # fmt: skip


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
