"""What may be said of a standing, and to whom? The one place that knows; every page and list asks here.

A notice is between the program and the partner: to everybody else the integration is what it was. What is suspended
or removed says so, and never shows a tier.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext_noop

from integrations.submissions.models import Integration
from integrations.submissions.workflow.states import Standing
from portal.audit.models import Event

# the steps of the due process, as the page of the standing offers them
OF_PROCESS = (
    "give_notice", "set_aside", "take_notice_back", "appeal", "uphold_appeal", "dismiss_appeal", "go_on", "suspend",
    "suspend_at_once", "remove", "ask_reinstatement", "reinstate", "step_down",
)  # fmt: skip
KEEPS = ("set_aside", "appeal", "dismiss_appeal", "go_on", "ask_reinstatement")  # they change no standing
BACK = ("reinstate", "uphold_appeal")  # they list it again
STANDS = {
    Standing.NONE: gettext_noop("Not listed: its company promises no support."),
    Standing.VERIFIED: gettext_noop("Listed, and in good standing."),
    Standing.NOTICE: gettext_noop("Under notice. Its public page does not say so."),
    Standing.SUSPENDED: gettext_noop("Suspended. Its public page says so."),
    Standing.REMOVED: gettext_noop("Removed from the listing. Its public page stays and says so."),
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


LISTED = Public(gettext_noop("Listed"), "", "good", "listed", shows_tier=True)
PUBLIC = {
    Standing.VERIFIED: LISTED,
    Standing.NOTICE: LISTED,
    Standing.SUSPENDED: Public(
        gettext_noop("Suspended"),
        gettext_noop("The program has suspended it: the promise of support was not kept, or is in doubt."),
        "warn",
        "suspended",
    ),
    Standing.REMOVED: Public(
        gettext_noop("No longer listed"),
        gettext_noop("The program no longer lists it, and promises nothing about it."),
        "bad",
        "removed",
    ),
    Standing.NONE: Public(
        gettext_noop("Community"),
        gettext_noop("Its company no longer promises support and said so. What was published stays usable."),
        "info",
        "community",
    ),
}
ENDED = Public(gettext_noop("No longer supported"), gettext_noop("Its company has ended its support."), "info", "ended")
SHOWN = {each.key: each for each in (*PUBLIC.values(), ENDED)}


def after(step: str, target: Any) -> Public | None:
    """What everybody may know once a step of the due process was taken; None for any other step."""
    return PUBLIC.get(target, LISTED) if step in OF_PROCESS and step not in KEEPS else None


def public(row: Integration) -> Public:
    """What everybody may know of the standing of an integration that was listed at some time."""
    return PUBLIC[Standing(row.standing)] if row.is_open else ENDED


def since(row: Integration) -> datetime | None:
    """Since when everybody may know that it stands as it does. A notice, and one that was taken back, has no date."""
    if not row.is_open:
        return row.ended_at
    if PUBLIC[Standing(row.standing)] is not LISTED:
        return row.standing_since or row.released_at
    events = Event.objects.filter(integration=row, verb__in=BACK).order_by("-seq") if row.standing_since else ()
    back = (e.at for e in events if "standing" in e.data and PUBLIC[Standing(e.data["standing"][0])] is not LISTED)
    return next(back, row.released_at)
