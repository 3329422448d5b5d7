"""Who should review this? Candidates in order, each with the reason in words.

The criteria are compared one after the other, never summed: free to take it on, reviewed this integration
before, reviewed for this company before, chose this program by name, has the least to do, name.
"""

from collections import defaultdict
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import Count, Q
from django.utils import timezone
from django.utils.dateformat import format as spell
from django.utils.translation import gettext as _

from integrations.partners.models import Membership
from integrations.reviews.models import ReviewerProfile
from integrations.submissions.models import Integration
from integrations.submissions.models.integration import BEFORE_RELEASE
from portal.audit.models import Event

REVIEWING = ("finding_raised", "finding_verified", "request_changes", "approve", "decline")
SOON = timedelta(days=14)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One reviewer: the sentence that explains the place, and whether they can take it on now."""

    reviewer: Any
    sentence: str
    available: bool


@dataclass(frozen=True, slots=True)
class _Past:
    """Whom of the reviewers this integration and its company have met: sets of ids."""

    here: frozenset[int | None]
    company: frozenset[int | None]


def suggest(integration: Integration, now: datetime) -> list[Suggestion]:
    """Every reviewer who may decide on it, best first. People of the integration's own company are left out."""
    people = _reviewers(integration)
    past = _past(integration, [person.pk for person in people])
    today = timezone.localtime(now).date()
    ranked = [_weigh(integration, person, past, today) for person in people]
    return [suggestion for _, suggestion in sorted(ranked, key=lambda pair: pair[0])]


def _reviewers(integration: Integration) -> list[Any]:
    """Active reviewers of other companies, with their profile and, as `load`, what they review now."""
    own = Membership.objects.filter(partner=integration.partner_id, ended_at=None).values("user")
    load = Count("reviews", filter=Q(reviews__stage__in=BEFORE_RELEASE) & ~Q(reviews=integration.pk))
    people = get_user_model().objects.filter(is_reviewer=True, is_active=True).exclude(pk__in=own)
    return list(people.select_related("reviewer_profile").annotate(load=load))


def _past(integration: Integration, people: list[int]) -> _Past:
    met: dict[int | None, set[int | None]] = defaultdict(set)
    events = Event.objects.filter(integration__partner=integration.partner_id, verb__in=REVIEWING, actor_id__in=people)
    for person, where in events.values_list("actor_id", "integration_id").distinct():
        met[where].add(person)
    return _Past(frozenset(met.pop(integration.pk, set())), frozenset[int | None]().union(*met.values()))


def _weigh(integration: Integration, person: Any, past: _Past, today: date) -> tuple[tuple[Any, ...], Suggestion]:
    profile = getattr(person, "reviewer_profile", None) or ReviewerProfile(user=person)
    away = _away(profile, today)
    takes = not profile.programs or integration.program_key in profile.programs
    full = person.load >= profile.most_open
    available = takes and not full and away != "away now"
    was_here, knows_company = person.pk in past.here, person.pk in past.company
    chose = integration.program_key in profile.programs
    order = (not available, not was_here, not knows_company, not chose, person.load, str(person), person.pk)
    reasons = [
        (was_here, _("reviewed %(name)s before") % {"name": integration.name}),
        (knows_company, _("knows %(name)s") % {"name": integration.partner.name}),
        (chose, _("knows %(product)s") % {"product": integration.program.product}),
        (not takes, _("does not review %(product)s") % {"product": integration.program.product}),
        (
            True,
            _("%(load)s of %(most_open)s open") % {"load": person.load, "most_open": profile.most_open}
            + (_(", no room for more") if full else ""),
        ),
        (bool(away), _away_words(away, profile)),
    ]
    sentence = " · ".join(words for is_true, words in reasons if is_true)
    return order, Suggestion(person, sentence[:1].upper() + sentence[1:], available)


def _away(profile: ReviewerProfile, today: date) -> str:
    """ "away now", "away soon" or "". An open end means until further notice."""
    if profile.away_from is None or (profile.away_until is not None and profile.away_until < today):
        return ""
    if profile.away_from <= today:
        return "away now"
    return "away soon" if profile.away_from - today <= SOON else ""


def _away_words(away: str, profile: ReviewerProfile) -> str:
    if away == "away soon" and profile.away_from:
        return _("away from %(away_from)s") % {"away_from": spell(profile.away_from, "D j M")}
    return (
        _("away until %(away_until)s") % {"away_until": spell(profile.away_until, "D j M")}
        if profile.away_until
        else _("away until further notice")
    )
