"""People who can see an integration: members of its company and program staff, and how a text mentions them."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import BigIntegerField, F, FilteredRelation, Q
from django.utils.text import slugify

from integrations.partners import permission_conditions, permissions
from integrations.partners.models import Role
from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.accounts.requests import AnyUser
from portal.core.compiled_queries import CompiledQuery, Parameter
from portal.ui.markdown import list_texts

ACTING_ROLES = (Role.OWNER, Role.EDITOR)
CURRENT_MEMBERSHIP = Q(memberships__partner=Parameter("partner", BigIntegerField()), memberships__ended_at=None)
USERS = CompiledQuery(
    lambda: (
        User.objects.filter(is_active=True)
        # A condition of the join: as a filter, it would leave out program staff who are members of no company.
        .annotate(membership=FilteredRelation("memberships", condition=CURRENT_MEMBERSHIP))
        .filter(Q(membership__isnull=False) | permission_conditions.IS_PROGRAM_STAFF)
        .annotate(role=F("membership__role"), joined=F("membership__pk"))
        .order_by()
    )
)
# Not within an email address, a path, or another handle.
MENTION = re.compile(r"(?<![\w@/.+-])@([^\W_][\w-]*)")


@dataclass(frozen=True, slots=True)
class Participant:
    """Active user who can see an integration. `role` is the role in its company, blank for program staff."""

    user: User
    role: str

    @property
    def role_label(self) -> str:
        return str(Role(self.role).label) if self.role else ""

    @property
    def is_acting_member(self) -> bool:
        """Return whether the user acts for the company, and is notified of what happens."""
        return self.role in ACTING_ROLES


def list_participants(integration: Integration) -> list[Participant]:
    """Return who can see the integration, members in the order in which they joined, then program staff."""
    users = USERS.fetch(partner=integration.partner_id)
    ordered = sorted(users, key=lambda user: (user.joined is None, user.joined, user.pk))
    return [Participant(user, user.role or "") for user in ordered]


@dataclass(frozen=True, slots=True)
class Mentions:
    """People whom a text mentions, without its author, and handles that match no one who can see the text."""

    people: tuple[User, ...] = ()
    unknown: tuple[str, ...] = ()


def find_mentions(integration: Integration, text: str, *, author: AnyUser | None, internal: bool = False) -> Mentions:
    """Return the people that the text mentions as "@first-last". Only program staff can see an internal text."""
    names = dict.fromkeys(name for part in list_texts(text) for name in MENTION.findall(part))
    if not names:
        return Mentions()
    # A notification quotes the text, so only people who can read the text get one.
    can_see = permissions.can_view_notes if internal else permissions.can_view
    people = assign_handles(list_participants(integration))
    matches = {name: people.get(_build_handle(name)) for name in names}
    users = {name: match.user for name, match in matches.items() if match and can_see(integration, match.user)}
    unknown = tuple(f"@{name}" for name in names if name not in users)
    return Mentions(tuple(user for user in dict.fromkeys(users.values()) if user != author), unknown)


def assign_handles(participants: Iterable[Participant]) -> dict[str, Participant]:
    """Return people by their handles. Those of people with the same name end with the IDs of the users."""
    namesakes: Mapping[str, list[Participant]] = defaultdict(list)
    for participant in participants:
        namesakes[_build_handle(participant.user.name or participant.user.email.partition("@")[0])].append(participant)
    people_by_handle = {}
    for name, people in namesakes.items():
        for person in people:
            handle = name
            # An ID, unlike a position, stays the same when others join or leave.
            while len(people) > 1 and handle in namesakes:
                handle += f"-{person.user.pk}"
            people_by_handle[handle] = person
    return people_by_handle


def _build_handle(name: str) -> str:
    """Return a name in the form of a mention: "José Núñez" as "jose-nunez"."""
    # A name in another script than Latin has no ASCII form.
    return slugify(name) or slugify(name, allow_unicode=True)


def list_hinted_handles(integration: Integration, participants: Iterable[Participant], reader: User) -> list[str]:
    """Return handles of the people concerned: acting members, reviewer, and Alliances manager, without the reader."""
    staff_ids = {integration.reviewer_id, integration.partner.alliances_manager_id}
    return [
        f"@{handle}"
        for handle, person in assign_handles(participants).items()
        if person.user != reader and (person.is_acting_member or person.user.pk in staff_ids)
    ]
