"""Services for label policies, which partners propose and the program accepts or declines."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from integrations.partners import permissions
from integrations.sla.engine.severity import normalize_label
from integrations.sla.models import LabelPolicy, SupportIssueEvent
from integrations.sla.services.policies import CRITICAL_LABELS, PAUSE_LABELS
from integrations.submissions.models import Integration
from integrations.submissions.services.changes import change_integration
from portal.accounts.models import User
from portal.audit.models import AuditEvent
from portal.core.errors import ActionRefused
from verification.sources.errors import SourceError, SourceNotFoundError
from verification.sources.factory import build_github_client

REPLACEMENT_NOTE = "Replaced by a newer proposal."


@dataclass(frozen=True, slots=True)
class LabelMap:
    """Content of a label policy.

    Labels are in lower case. `team` and `bots` map GitHub IDs to logins. `second_accounts` maps the ID of a second
    account to the ID of the same person's first account. `logins` holds their logins by ID.
    """

    critical: tuple[str, ...]
    pause: tuple[str, ...]
    team: Mapping[int, str]
    bots: Mapping[int, str] = field(default_factory=dict)
    second_accounts: Mapping[int, int] = field(default_factory=dict)
    logins: Mapping[int, str] = field(default_factory=dict)

    @property
    def pairs(self) -> tuple[str, ...]:
        """Return the second accounts in the form's format: "second = first"."""
        logins = self.logins
        return tuple(
            f"{logins.get(second, second)} = {logins.get(first, first)}"
            for second, first in self.second_accounts.items()
        )

    @property
    def names(self) -> dict[str, str]:
        """Return the logins of all accounts by ID as text."""
        logins_by_id = {**self.logins, **self.bots, **self.team}
        return {str(number): login for number, login in sorted(logins_by_id.items())}


def normalize_labels(labels: Iterable[str]) -> tuple[str, ...]:
    """Return the unique labels in the form that policies use."""
    return tuple(sorted({normalize_label(label) for label in labels} - {""}))


def propose_label_map(
    integration: Integration, label_map: LabelMap, *, actor: User | None, now: datetime
) -> LabelPolicy:
    """Propose a label policy, replacing an open proposal. Raises ActionRefused."""
    with change_integration(integration, permissions.can_edit, actor=actor, now=now) as change:
        pending_proposals = change.integration.label_policies.filter(state=LabelPolicy.State.PROPOSED)
        pending_proposals.update(state=LabelPolicy.State.DECLINED, decided_at=now, note=REPLACEMENT_NOTE)
        policy = LabelPolicy.objects.create(
            integration=change.integration,
            critical_labels=list(label_map.critical),
            pause_labels=list(label_map.pause),
            team=sorted(label_map.team),
            bots=sorted(label_map.bots),
            second_accounts={str(second): first for second, first in sorted(label_map.second_accounts.items())},
            proposed_by=actor,
            proposed_at=now,
        )
        note = describe_label_map(label_map)
        change.record("label_policy.proposed", note, policy=policy.pk, team=label_map.names)
        return policy


def decide_proposal(policy: LabelPolicy, *, accept: bool, note: str, actor: User | None, now: datetime) -> LabelPolicy:
    """Accept a proposal for issues opened after this, or decline it. Raises ActionRefused."""
    with change_integration(policy.integration, permissions.can_decide, actor=actor, now=now) as change:
        proposal = LabelPolicy.objects.select_for_update().get(pk=policy.pk)
        if proposal.state != LabelPolicy.State.PROPOSED:
            raise ActionRefused("This proposal was already decided. Reload the page.", "conflict")
        proposal.state = LabelPolicy.State.ACCEPTED if accept else LabelPolicy.State.DECLINED
        proposal.decided_by, proposal.decided_at, proposal.note = actor, now, note[:500]
        proposal.valid_from = now if accept else None
        proposal.save()
        change.record("label_policy.accepted" if accept else "label_policy.declined", note, policy=proposal.pk)
        return proposal


def build_label_map(policy: LabelPolicy | None) -> LabelMap:
    """Return the content of a policy, or of the defaults for None."""
    if policy is None:
        return LabelMap(normalize_labels(CRITICAL_LABELS), normalize_labels(PAUSE_LABELS), {})
    events = AuditEvent.objects.filter(
        integration_id=policy.integration_id, event_type="label_policy.proposed", data__policy=policy.pk
    )
    event = events.first()
    names = event.data.get("team", {}) if event else {}  # logins at the time of the proposal
    second_accounts = {int(second): first for second, first in policy.second_accounts.items()}
    return LabelMap(
        normalize_labels(policy.critical_labels),
        normalize_labels(policy.pause_labels),
        _name_accounts(policy.team, names),
        _name_accounts(policy.bots, names),
        second_accounts,
        _name_accounts([*second_accounts, *second_accounts.values()], names),
    )


def _name_accounts(numbers: Iterable[int], names: Mapping[str, str]) -> dict[int, str]:
    return {number: str(names.get(str(number), number)) for number in numbers}


@dataclass(frozen=True, slots=True)
class LabelMapComparison:
    """Comparison of one part of two label policies. Each side holds (entry, is only on this side)."""

    title: str
    was: tuple[tuple[str, bool], ...]
    will: tuple[tuple[str, bool], ...]
    blank: str

    @property
    def differs(self) -> bool:
        return any(alone for _each, alone in (*self.was, *self.will))


def list_label_map_parts(label_map: LabelMap) -> tuple[tuple[str, tuple[str, ...], str], ...]:
    """Return the title, entries, and empty-value text of each part.

    The history and emails use the English texts. Pages translate them.
    """
    return (
        (_("Critical"), label_map.critical, _("none")),
        (_("Pause"), label_map.pause, _("none")),
        (_("Team"), tuple(label_map.team.values()), _("owners, members, and collaborators on GitHub")),
        (_("Bot accounts"), tuple(label_map.bots.values()), _("accounts that are bots by type or name")),
        (_("Second accounts"), label_map.pairs, _("none")),
    )


def compare_label_maps(old_map: LabelMap, new_map: LabelMap) -> list[LabelMapComparison]:
    """Compare two label policies part by part."""
    return [
        LabelMapComparison(title, _mark_differences(old, new), _mark_differences(new, old), blank)
        for (title, old, blank), (_title, new, _blank) in zip(
            list_label_map_parts(old_map), list_label_map_parts(new_map), strict=True
        )
    ]


def _mark_differences(entries: tuple[str, ...], other_entries: tuple[str, ...]) -> tuple[tuple[str, bool], ...]:
    return tuple((entry, entry not in other_entries) for entry in entries)


def describe_label_map(label_map: LabelMap) -> str:
    """Describe a label policy for the history and emails."""
    return "\n".join(
        f"{title}: {', '.join(entries) or blank}" for title, entries, blank in list_label_map_parts(label_map)
    )


def resolve_account(integration: Integration, login: str) -> int:
    """Return the ID of a GitHub account from known events or from GitHub. Raises ActionRefused."""
    known_events = SupportIssueEvent.objects.filter(issue__integration=integration, actor__iexact=login, actor_id__gt=0)
    if (account_id := known_events.values_list("actor_id", flat=True).first()) is not None:
        return int(account_id)
    api = build_github_client()
    try:
        return api.user(login)
    except SourceNotFoundError:
        raise ActionRefused(
            gettext("GitHub has no account “%(login)s”. Check the username.") % {"login": login}
        ) from None
    except SourceError:
        raise ActionRefused(
            gettext("We can't look up “%(login)s” on GitHub right now. Try again in a few minutes.") % {"login": login}
        ) from None
    finally:
        api.close()
