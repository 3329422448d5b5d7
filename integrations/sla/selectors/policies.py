"""SLA policy and calendar of an issue, fixed at its opening."""

from datetime import datetime

from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.providers.github.provider import GitHubProvider
from django.db.models import Q

from integrations.programs.registry import get_edition
from integrations.sla.engine.types import SlaPolicy
from integrations.sla.models import LabelPolicy, SupportIssue
from integrations.submissions.models import Integration
from portal.core.business_time import Calendar
from portal.core.content_files import Content, load_content
from portal.core.value_types import NamedValues


class DefaultLabels(Content):
    """Content of default_labels.yaml."""

    critical: frozenset[str]
    pause: frozenset[str]


DEFAULT_LABELS = load_content("integrations/sla/data/default_labels.yaml", DefaultLabels)


def get_policy_snapshot(integration: Integration, moment: datetime) -> NamedValues:
    """Return the edition, policy, calendar, and team at a time as columns of an issue. None means defaults."""
    return {
        "edition": get_edition_date(integration, moment),
        "policy": get_policy_in_force(integration, moment),
        "calendar": integration.partner.calendars.get_in_force(moment),
        "team": list_linked_accounts(integration, moment),
    }


def list_linked_accounts(integration: Integration, moment: datetime) -> list[int]:
    """Return the GitHub IDs that the company's members had linked at a time."""
    # Linking an account or joining the company later must not retract a breach (decision 0073).
    memberships = integration.partner.memberships.filter(
        Q(ended_at=None) | Q(ended_at__gt=moment), joined_at__lte=moment
    )
    # An account of single sign-on has an ID of its provider, which means nothing on GitHub.
    accounts = SocialAccount.objects.filter(
        provider=GitHubProvider.id, user__in=memberships.values("user"), date_joined__lte=moment
    )
    return sorted(map(int, accounts.values_list("uid", flat=True)))


def get_policy_in_force(integration: Integration, moment: datetime) -> LabelPolicy | None:
    """Return the label policy that applies to issues opened at a time, or None for the defaults."""
    policies = integration.label_policies.filter(state=LabelPolicy.State.ACCEPTED, valid_from__lte=moment)
    return policies.order_by("valid_from", "pk").last()


def build_default_policy() -> LabelPolicy:
    """Return the policy that applies until the partner proposes its own, unsaved."""
    return LabelPolicy(critical_labels=sorted(DEFAULT_LABELS.critical), pause_labels=sorted(DEFAULT_LABELS.pause))


def get_edition_date(integration: Integration, moment: datetime) -> str:
    """Return the program edition that applied to the integration at a time."""
    # The integration stores only its current edition. The first change after the moment names the edition before it.
    edition_changes = integration.events.filter(event_type="integration.edition_moved", at__gt=moment)
    next_change = edition_changes.order_by("seq").first()
    return str(next_change.data["old_edition"]) if next_change else integration.edition_date


def get_sla_policy(issue: SupportIssue) -> SlaPolicy:
    """Return the policy fixed at the issue's opening, in the form that the engine uses."""
    edition = get_edition(issue.integration.program_key, issue.edition)
    policy = issue.policy or build_default_policy()
    return SlaPolicy(
        sla=edition.sla,
        critical_labels=frozenset(policy.critical_labels),
        pause_labels=frozenset(policy.pause_labels),
        team=frozenset([*policy.team, *issue.team]),
        edition=f"{issue.integration.program_key}@{issue.edition}",
        bots=frozenset(policy.bots),
        second_accounts={int(second): first for second, first in policy.second_accounts.items()},
    )


def get_calendar(issue: SupportIssue) -> Calendar:
    """Return the calendar fixed at the issue's opening, in the SLA policy's time zone if it states one.

    Default: Monday to Friday in UTC.
    """
    calendar = issue.calendar.calendar if issue.calendar else Calendar()
    return get_edition(issue.integration.program_key, issue.edition).sla.localize_calendar(calendar)
