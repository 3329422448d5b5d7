"""Presence of program staff on a review: who views it, and who types a finding or decision. Kept only in the cache.

Without the cache, no one is shown, and decisions ask for no confirmation.
"""

import time
from dataclasses import dataclass
from typing import TypeAlias

from django.core.cache import cache

from integrations.partners import permission_conditions, permissions
from integrations.submissions.models import Integration
from portal.accounts.models import User

VIEWING = "viewing"
WRITING = "writing"
# A bit longer than the pause between two requests of an open page
TIMEOUT_SECONDS = {VIEWING: 50, WRITING: 30}

# when each activity ends, by person and activity
PresenceEnds: TypeAlias = dict[tuple[int, str], float]


@dataclass(frozen=True, slots=True)
class Presence:
    """Other person on the review."""

    name: str
    is_writing: bool


def note_presence(integration: Integration, user: User, activity: str = VIEWING) -> PresenceEnds:
    """Remember for a short time that the user views or edits the review. Return when each current activity ends.

    Of two people at the same instant one may be lost; the next request of the open page adds them again.
    """
    now = time.time()
    ends = {key: end for key, end in _read_ends(integration).items() if end > now}
    ends[user.pk, activity] = now + TIMEOUT_SECONDS[activity]
    cache.set(_build_key(integration), ends, max(TIMEOUT_SECONDS.values()))
    return ends


def end_writing(integration: Integration, user: User) -> None:
    """Forget that the user types, because the text was sent."""
    ends = _read_ends(integration)
    if ends.pop((user.pk, WRITING), None):
        cache.set(_build_key(integration), ends, max(TIMEOUT_SECONDS.values()))


def list_present(integration: Integration, user: User, ends: PresenceEnds | None = None) -> list[Presence]:
    """Return the other people on the review by name. Without other people, it takes no query.

    `ends` is the result of `note_presence` in the same request, which saves another read of the cache.
    """
    now = time.time()
    all_ends = _read_ends(integration) if ends is None else ends
    present = {key for key, end in all_ends.items() if end > now and key[0] != user.pk}
    if not present:
        return []
    staff = User.objects.filter(
        permission_conditions.IS_PROGRAM_STAFF, is_active=True, pk__in={pk for pk, _ in present}
    )
    return [Presence(str(each), (each.pk, WRITING) in present) for each in staff.order_by("name", "pk")]


def list_writers(integration: Integration, user: User) -> list[str]:
    """Return the names of other people who type a finding or decision, for those who see internal notes."""
    if not permissions.can_view_notes(integration, user):
        return []
    return [each.name for each in list_present(integration, user) if each.is_writing]


def _read_ends(integration: Integration) -> PresenceEnds:
    ends: PresenceEnds = cache.get(_build_key(integration), {})
    return ends


def _build_key(integration: Integration) -> str:
    return f"review-presence:{integration.pk}"
