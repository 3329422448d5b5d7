"""Presence of program staff on a review: who views it, and who types a finding or decision. Kept only in the cache.

Without the cache, nobody is shown, and decisions ask for no confirmation.
"""

from dataclasses import dataclass

from django.core.cache import cache

from integrations.partners import permissions
from integrations.submissions.models import Integration
from portal.accounts.models import User

VIEWING, WRITING = "viewing", "writing"
# A bit longer than the pause between two requests of an open page
TIMEOUT_SECONDS = {VIEWING: 50, WRITING: 30}


@dataclass(frozen=True, slots=True)
class Presence:
    """Other person on the review."""

    name: str
    is_writing: bool


def note_presence(integration: Integration, user: User, activity: str = VIEWING) -> None:
    """Remember for a short time that the user views or edits the review."""
    cache.set(_build_key(activity, integration, user.pk), True, TIMEOUT_SECONDS[activity])


def end_writing(integration: Integration, user: User) -> None:
    """Forget that the user types, because the text was sent."""
    cache.delete(_build_key(WRITING, integration, user.pk))


def list_present(integration: Integration, user: User) -> list[Presence]:
    """Return the other people on the review by name."""
    staff = User.objects.filter(permissions.IS_PROGRAM_STAFF, is_active=True).exclude(pk=user.pk).order_by("name", "pk")
    people = list(staff.only("pk", "name", "email"))
    keys = cache.get_many(
        [_build_key(activity, integration, each.pk) for each in people for activity in TIMEOUT_SECONDS]
    )
    present = [
        (each, [name for name in TIMEOUT_SECONDS if _build_key(name, integration, each.pk) in keys]) for each in people
    ]
    return [Presence(str(each), WRITING in activities) for each, activities in present if activities]


def list_writers(integration: Integration, user: User) -> str:
    """Return the names of other people who type a finding or decision, for program staff only."""
    if not permissions.is_program_staff(user):
        return ""
    return ", ".join(each.name for each in list_present(integration, user) if each.is_writing)


def _build_key(activity: str, integration: Integration, user_pk: int) -> str:
    return f"review-presence:{activity}:{integration.pk}:{user_pk}"
