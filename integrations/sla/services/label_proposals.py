"""Services for label policies, which partners propose and the program accepts or declines."""

from collections.abc import Iterable
from contextlib import closing
from datetime import datetime
from typing import NamedTuple

from django.utils.translation import gettext, gettext_noop as _

from integrations.partners import permissions
from integrations.sla.models import LabelPolicy, SupportIssueEvent
from integrations.submissions.models import Integration
from integrations.submissions.services.changes import change_integration
from portal.accounts.models import User
from portal.core.errors import ActionRefused
from verification.sources.errors import SourceError, SourceNotFoundError
from verification.sources.factory import build_github_client

REPLACEMENT_NOTE = "Replaced by a newer proposal."


def propose_label_policy(integration: Integration, policy: LabelPolicy, *, actor: User | None, now: datetime) -> None:
    """Save a new label policy as a proposal, replacing an open proposal. Raises ActionRefused."""
    with change_integration(integration, permissions.can_edit, actor=actor, now=now) as change:
        # Reviewers decide on one proposal at a time, the newest.
        pending_proposals = change.integration.label_policies.filter(state=LabelPolicy.State.PROPOSED)
        pending_proposals.update(state=LabelPolicy.State.DECLINED, decided_at=now, note=REPLACEMENT_NOTE)
        policy.integration = change.integration
        policy.proposed_by = actor
        policy.proposed_at = now
        policy.save()
        parts = list_policy_parts(policy)
        note = "\n".join(f"{part.title}: {', '.join(part.entries) or part.blank}" for part in parts)
        change.record("label_policy.proposed", note, policy=policy.pk, team=policy.logins)


def decide_proposal(policy: LabelPolicy, *, accept: bool, note: str, actor: User | None, now: datetime) -> None:
    """Accept a proposal for issues opened after this, or decline it with a reason. Raises ActionRefused."""
    with change_integration(policy.integration, permissions.can_decide, actor=actor, now=now) as change:
        if not accept and not note:
            raise ActionRefused(gettext("Enter a reason. The partner can see it."), "validation-error")
        # The partner may have replaced the proposal, or a colleague may have decided, since the page was opened.
        proposal = LabelPolicy.objects.select_for_update().get(pk=policy.pk)
        if proposal.state != LabelPolicy.State.PROPOSED:
            raise ActionRefused(gettext("This proposal was already decided."), "conflict")
        proposal.state = LabelPolicy.State.ACCEPTED if accept else LabelPolicy.State.DECLINED
        proposal.decided_by = actor
        proposal.decided_at = now
        proposal.note = note[:500]
        # The policy doesn't apply to earlier issues: otherwise, a partner could propose it after a breach to retract
        # it.
        proposal.valid_from = now if accept else None
        proposal.save()
        change.record("label_policy.accepted" if accept else "label_policy.declined", note, policy=proposal.pk)


class PolicyPart(NamedTuple):
    """Title and entries of a part of a label policy. `blank`: the text that stands for no entries."""

    title: str
    entries: tuple[str, ...]
    blank: str


def list_policy_parts(policy: LabelPolicy) -> tuple[PolicyPart, ...]:
    """Return the parts of a label policy.

    The history and emails use the English texts. Pages translate them. The order is that of the form's fields.
    """
    second_accounts = tuple(" = ".join(_list_logins(policy, pair)) for pair in policy.second_accounts.items())
    return (
        PolicyPart(_("Critical"), tuple(policy.critical_labels), _("none")),
        PolicyPart(_("Pause"), tuple(policy.pause_labels), _("none")),
        PolicyPart(_("Team"), _list_logins(policy, policy.team), _("owners, members, and collaborators on GitHub")),
        PolicyPart(_("Bot accounts"), _list_logins(policy, policy.bots), _("accounts that are bots by type or name")),
        PolicyPart(_("Second accounts"), second_accounts, _("none")),
    )


def _list_logins(policy: LabelPolicy, account_ids: Iterable[int | str]) -> tuple[str, ...]:
    return tuple(str(policy.logins.get(str(account_id), account_id)) for account_id in account_ids)


def resolve_account(integration: Integration, login: str) -> int:
    """Return the ID of a GitHub account from known events or from GitHub. Raises ActionRefused."""
    # A login can be renamed and then taken by someone else, so policies store IDs and the last account counts. Only
    # GitHub's lists count, because the partner could forge a webhook that gives a login the ID of another account.
    known_events = SupportIssueEvent.objects.filter(
        issue__integration=integration, source="poll", actor__iexact=login, actor_id__gt=0
    )
    if (account_id := known_events.values_list("actor_id", flat=True).last()) is not None:
        return int(account_id)
    try:
        with closing(build_github_client()) as api:
            return api.get_user_id(login)
    except SourceNotFoundError:
        refusal = gettext("GitHub has no account “%(login)s”. Check the username.")
        raise ActionRefused(refusal % {"login": login}, "validation-error") from None
    except SourceError:
        refusal = gettext("We can't look up “%(login)s” on GitHub right now. Try again in a few minutes.")
        raise ActionRefused(refusal % {"login": login}, "service-unavailable") from None
