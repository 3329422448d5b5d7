"""What may be said of a standing, and to whom? The one place that knows; every page and list asks here.

A notice is between the program and the partner: to everybody else the integration is what it was. What is suspended
or removed says so, and never shows a tier.
"""

from dataclasses import dataclass
from typing import Any

from integrations.models import Integration
from integrations.states import Standing

# the steps of the due process, as the page of the standing offers them
OF_PROCESS = (
    "give_notice", "set_aside", "take_notice_back", "appeal", "uphold_appeal", "dismiss_appeal", "go_on", "suspend",
    "suspend_at_once", "remove", "ask_reinstatement", "reinstate", "step_down",
)  # fmt: skip
KEEPS = ("set_aside", "appeal", "dismiss_appeal", "go_on", "ask_reinstatement")  # they change no standing
STANDS = {
    Standing.NONE: "Not listed: its company promises no support.",
    Standing.VERIFIED: "Listed, and in good standing.",
    Standing.NOTICE: "Under notice. Its public page does not say so.",
    Standing.SUSPENDED: "Suspended. Its public page says so.",
    Standing.REMOVED: "Removed from the listing. Its public page stays and says so.",
}


@dataclass(frozen=True, slots=True)
class Public:
    """A standing as everybody may know it: a word, the sentence beside it, a tone, and whether a tier is shown.

    `key`: the same for machines, in addresses and data.
    """

    word: str
    sentence: str
    tone: str
    key: str
    shows_tier: bool = False


LISTED = Public("Listed", "", "good", "listed", shows_tier=True)
PUBLIC = {
    Standing.VERIFIED: LISTED,
    Standing.NOTICE: LISTED,
    Standing.SUSPENDED: Public(
        "Suspended",
        "The program has suspended it: the promise of support was not kept, or is in doubt.",
        "warn",
        "suspended",
    ),
    Standing.REMOVED: Public(
        "No longer listed", "The program no longer lists it, and promises nothing about it.", "bad", "removed"
    ),
    Standing.NONE: Public(
        "Community",
        "Its company no longer promises support and said so. What was published stays usable.",
        "info",
        "community",
    ),
}
ENDED = Public("No longer supported", "Its company has ended its support.", "info", "ended")
SHOWN = {each.key: each for each in (*PUBLIC.values(), ENDED)}


def after(step: str, target: Any) -> Public | None:
    """What everybody may know once a step of the due process was taken; None for any other step."""
    return PUBLIC.get(target, LISTED) if step in OF_PROCESS and step not in KEEPS else None


def public(row: Integration) -> Public:
    """What everybody may know of the standing of an integration that was listed at some time."""
    return PUBLIC[Standing(row.standing)] if row.is_open else ENDED
