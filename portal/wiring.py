"""Reactions to audit events. They run in the transaction of the event."""

from collections.abc import Callable
from datetime import datetime

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _

from integrations.compliance import evidence
from integrations.escalations import services as escalation
from integrations.partners import notices as account_notices
from integrations.partners.models import Partner
from integrations.programs.requirements import RequirementKind
from integrations.reviews.services import claims, conflicts
from integrations.sla.services import monitoring
from integrations.submissions import notices
from integrations.submissions.models import Integration
from integrations.submissions.services import (
    agreements,
    changes,
    evidence_snapshots,
    requirements,
    responsibility,
    shared_answers,
    waivers,
)
from integrations.submissions.workflow.evidence import PROVIDER
from integrations.submissions.workflow.guards import EMAIL_SENT_MESSAGE
from portal.accounts.access import access_revoked, roles_changed
from portal.accounts.models import User
from portal.analytics.services import handle_responsibility_change
from portal.api.services import tokens
from portal.audit import services
from portal.audit.models import AuditEvent
from portal.core.errors import ActionRefused
from portal.directory import services as listings
from portal.github_access import receivers as github_access
from portal.inbox import calendar_feed
from portal.notifications import email
from portal.reports import unsubscribe
from portal.reports.scopes import build_partner_key
from portal.search import indexing
from portal.webhooks import fanout, services as webhooks
from verification.checks.services import facts, runs
from verification.sources import rate_limits
from verification.sources.models import GitHubRateLimit

Reaction = Callable[[AuditEvent], None]


def cancel_notifications(event: AuditEvent) -> None:
    """Cancel the emails and delete the webhook deliveries of a decision that was undone or superseded.

    Raises ActionRefused if an email of an undone decision is on its way: its readers would not learn of the undo.
    """
    earlier = AuditEvent.objects.filter(stream=event.stream, seq__lt=event.seq)
    # Only decisions that can be undone have this value.
    decision = earlier.filter(data__has_key="undo_until").order_by("seq").last()
    # The notifications of a final decision stay, even if a later one supersedes it.
    if decision is not None and datetime.fromisoformat(decision.data["undo_until"]) > event.at:
        if not email.cancel_decision_emails(decision) and event.event_type == "integration.decision_undone":
            raise ActionRefused(_(EMAIL_SENT_MESSAGE), "invalid-transition")
        fanout.delete_deliveries(decision)


def run_checks(event: AuditEvent) -> None:
    """Request a check run."""
    if event.integration is not None:
        runs.request_check_run(event.integration, now=event.at, reason=event.summary)


def forget_repository(event: AuditEvent) -> None:
    """Delete the facts about the former repository, discard the results of its checks, and end waivers of them."""
    integration = event.integration
    if integration is None:
        return
    facts.delete_facts(integration)
    # An outage keeps a result, so one of another repository could count for weeks. A renamed one keeps its ID.
    values = event.data["changes"]
    if integration.repository_id is None or "repository_id" in values:
        requirements.discard_check_results(integration.fulfillments.all())
        former_repository = values["repository"][0]
        if former_repository:
            waivers.end_repository_waivers(integration, former_repository, event.at)


def update_shared_answers(event: AuditEvent) -> None:
    """Copy what the integrations of the partner share to one that was reopened or uses another edition."""
    integration = event.integration
    if integration is not None and integration.is_open:
        agreements.update_agreement_requirements([integration], event.at)
        shared_answers.update_shared_answers(integration, event.at)
        # The email states the next action, which these answers can change.
        event.integration = Integration.objects.select_related("partner").get(pk=integration.pk)


def follow_repository_change(event: AuditEvent) -> None:
    """Monitor the repository that the integration or its issue tracker moved to."""
    if event.integration is not None:
        actor = User.objects.filter(pk=event.actor_id).first() if event.actor_id else None
        monitoring.update_repository(event.integration, event.at, actor)


def check_answers(event: AuditEvent) -> None:
    """Request a check run after a form was answered, because checks can depend on the answers."""
    integration = event.integration
    requirement = (
        integration.edition.get_requirement(event.data.get("requirement", "")) if integration is not None else None
    )
    if integration is not None and requirement is not None and requirement.kind == RequirementKind.FORM:
        reason = _("New answers in “%(title)s”") % {"title": requirement.title}
        runs.request_check_run(integration, now=event.at, reason=reason)


def silence_former_member(event: AuditEvent) -> None:
    """Cancel pending emails to a former member of the company."""
    if event.partner is not None:
        email.silence_person(event.data["person"], event.partner.pk)
        unsubscribe.cancel_scheduled_emails(event.data["person"], build_partner_key(event.partner.slug))


def withdraw_approvals(sender: object, *, user: User, now: datetime, **_: object) -> None:
    """Withdraw the first approvals of a person who can't review anymore."""
    with translation.override(settings.LANGUAGE_CODE):
        claims.withdraw_lost_approvals(user, now)


def silence_deactivated_account(sender: object, *, user: User, is_deactivation: bool, **_: object) -> None:
    """Cancel pending emails to a deactivated account."""
    if is_deactivation:
        email.silence_person(user.pk)


def update_listing(event: AuditEvent) -> None:
    """Update the listings in the directory."""
    if event.integration is not None:
        listings.refresh_listing(event.integration, event.at)
    elif event.partner is not None:
        listings.refresh_partner_listings(event.partner, event.at)


def _react_for_integration(act: Callable[[Integration, datetime], object]) -> Reaction:
    """Return a reaction that calls a function with the integration and the time of the event."""

    def reaction(event: AuditEvent) -> None:
        if event.integration is not None:
            act(event.integration, event.at)

    return reaction


def _react_for_partner(act: Callable[[Partner, datetime], object]) -> Reaction:
    """Return a reaction that calls a function with the company and the time of the event."""

    def reaction(event: AuditEvent) -> None:
        if event.partner is not None:
            act(event.partner, event.at)

    return reaction


start_monitoring = _react_for_integration(monitoring.start_monitoring)
stop_monitoring = _react_for_integration(monitoring.stop_monitoring)
store_evidence = _react_for_integration(evidence_snapshots.take_snapshot)  # the next review round is compared with it
refresh_integrations = _react_for_partner(changes.refresh_partner_integrations)
release_reviews = _react_for_partner(conflicts.release_conflicted_reviews)
remove_webhooks = _react_for_partner(webhooks.remove_partner_endpoints)
REACTIONS: dict[str, tuple[Reaction, ...]] = {
    "integration.created": (run_checks,),
    "review.requested": (store_evidence, run_checks),
    "review.requested_again": (store_evidence, run_checks),
    "review.changes_requested": (store_evidence,),
    "integration.edition_moved": (update_shared_answers, run_checks),
    "requirement.answered": (check_answers, follow_repository_change),  # the answer can be the issue tracker
    "integration.edited": (run_checks,),
    "integration.reader_changed": (run_checks,),
    # In this order: checks must not read facts of the earlier repository.
    "integration.repository_changed": (forget_repository, run_checks, follow_repository_change),
    "integration.listed": (start_monitoring,),
    "issue.breached": (escalation.start_escalation,),
    "issue.breach_retracted": (escalation.notify_of_retraction,),
    "compliance.appealed": (run_checks,),
    "compliance.deadline_paused": (run_checks,),
    "compliance.reinstatement_requested": (run_checks,),
    "compliance.reinstated": (start_monitoring,),
    "compliance.delisted": (stop_monitoring,),
    "compliance.downgraded": (cancel_notifications, stop_monitoring),
    "integration.decision_undone": (cancel_notifications, update_shared_answers),
    "integration.reopened": (update_shared_answers,),
    "member.removed": (silence_former_member,),
    "partner.merged": (release_reviews, refresh_integrations),
    "partner.closed": (remove_webhooks,),
    "partner.profile_changed": (refresh_integrations,),
    "partner.verified": (refresh_integrations,),
    "partner.decision_requested": (refresh_integrations,),
    "partner.approved": (refresh_integrations,),
    "partner.rejected": (refresh_integrations,),
}


def notify_staff(sender: object, *, rate_limit: GitHubRateLimit, **_: object) -> None:
    """Notify the staff that GitHub rejects a credential."""
    context = {"credential_name": rate_limit.name, "reason": rate_limit.disabled_reason}
    # The time identifies the incident, so that each person gets one email about it.
    key = f"github:{rate_limit.name}:{rate_limit.disabled_at}"
    for person in User.objects.filter(is_staff=True, is_active=True):
        email.queue("github_credential_rejected", f"{key}:{person.pk}", person, context, now=rate_limit.disabled_at)


def react(event: AuditEvent) -> None:
    """Run the reactions to an event in the default language, because they store texts for all readers."""
    with translation.override(settings.LANGUAGE_CODE):
        for reaction in REACTIONS.get(event.event_type, ()):
            reaction(event)
        if event.type.changes_listing:
            update_listing(event)
        indexing.index_event(event)
        notices.notify(event)
        # Last, because payloads describe the state after all reactions.
        fanout.create_deliveries(event)


def connect() -> None:
    """Register all reactions. Called once when the app is ready."""
    # Apps may only import those below them (pyproject.toml), so reactions across apps are connected here.
    services.subscribe(react)
    indexing.connect()
    responsibility.responsibility_changed.connect(handle_responsibility_change)
    rate_limits.credential_disabled.connect(notify_staff)
    services.subscribe(account_notices.handle_event)
    tokens.register_handlers()
    github_access.connect_receivers()
    access_revoked.connect(calendar_feed.handle_access_revoked)
    access_revoked.connect(silence_deactivated_account)
    roles_changed.connect(withdraw_approvals)
    PROVIDER.get_facts = evidence.collect_facts
    PROVIDER.collect_evidence = evidence.collect_evidence
