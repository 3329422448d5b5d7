"""Draft storage with conflict detection: when two pages edit a draft, the second one sees both versions.

This applies to pages of different people and to several pages of the same person.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from integrations.partners import permissions, refusals
from integrations.partners.models import Partner
from integrations.partners.services.changes import change_partner
from integrations.submissions.models import Integration, IntegrationDraft
from integrations.submissions.services.creation import create_integration
from portal.accounts.models import User
from portal.accounts.requests import AnyUser
from portal.core.errors import ActionRefused, StaleVersionError

EMPTY_DRAFT_VERSION = 0  # version of a draft without input


class DraftConflictError(Exception):
    """A newer version of the draft exists: `stored_draft`. `rejected_data` could not be saved."""

    def __init__(self, stored_draft: IntegrationDraft, rejected_data: Mapping[str, object], actor: User) -> None:
        self.is_own = stored_draft.saved_by_id == actor.pk
        message = _("You saved another version on another page.")
        if not self.is_own:
            message = _("%(name)s saved another version.") % {"name": stored_draft.saved_by or _("Someone")}
        super().__init__(message)
        self.stored_draft = stored_draft
        self.rejected_data = dict(rejected_data)


def create_draft(partner: Partner, program: str, *, actor: User, now: datetime) -> IntegrationDraft:
    """Create a draft of a new integration for the partner."""
    refusals.require_permission(permissions.can_edit_partner, partner, actor)
    return IntegrationDraft.objects.create(partner=partner, program_key=program, saved_by=actor, saved_at=now)


def get_or_create_answer_draft(
    integration: Integration, requirement_id: str, *, actor: User | None, now: datetime
) -> IntegrationDraft:
    """Return the draft of a requirement's form, shared by colleagues."""
    refusals.require_permission(permissions.can_edit_partner, integration.partner, actor)
    draft, _ = IntegrationDraft.objects.get_or_create(
        integration=integration,
        requirement_id=requirement_id,
        sent_at=None,
        defaults={
            "partner": integration.partner,
            "program_key": integration.program_key,
            "saved_by": actor,
            "saved_at": now,
        },
    )
    return draft


def save_draft(
    draft: IntegrationDraft, data: Mapping[str, object], *, version: int, actor: User, now: datetime
) -> IntegrationDraft:
    """Save data that is based on `version`. Raises DraftConflictError if a newer version exists."""
    refusals.require_permission(permissions.can_edit_partner, draft.partner, actor)
    with transaction.atomic():
        # PostgreSQL can't lock the nullable side of an outer join, which `saved_by` is.
        rows = IntegrationDraft.objects.select_for_update(of=("self",)).select_related("saved_by")
        locked_draft = rows.get(pk=draft.pk)
        if locked_draft.sent_at is not None:
            raise _build_closed_refusal(locked_draft)
        # The same input isn't a conflict, for example if a request is repeated after a lost response.
        if locked_draft.data == dict(data):
            return locked_draft
        _require_version(locked_draft, data, version, actor)
        locked_draft.data = dict(data)
        locked_draft.version += 1
        locked_draft.saved_by = actor
        locked_draft.saved_at = now
        locked_draft.save()
    return locked_draft


def lock_answer_draft(
    integration: Integration, requirement_id: str, data: Mapping[str, object], *, version: int, actor: User
) -> None:
    """Lock the draft of a requirement's form, which an answer ends.

    Raises DraftConflictError if a newer version than `version` exists with other data.
    """
    rows = integration.drafts.select_for_update(of=("self",)).select_related("saved_by")
    draft = rows.filter(requirement_id=requirement_id, sent_at=None).first()
    if draft is not None and draft.data != dict(data):
        _require_version(draft, data, version, actor)


def _require_version(draft: IntegrationDraft, data: Mapping[str, object], version: int, actor: User) -> None:
    if draft.version not in (EMPTY_DRAFT_VERSION, version):
        raise DraftConflictError(draft, data, actor)


def submit_draft(
    draft: IntegrationDraft, values: Mapping[str, object], *, version: int, actor: User, now: datetime
) -> Integration:
    """Create the integration of a draft exactly once, even if the button is pressed twice.

    A second call returns the same integration. Raises ActionRefused, which is StaleVersionError if the draft is no
    longer the `version` that the person saw.
    """
    refusals.require_permission(permissions.can_edit_partner, draft.partner, actor)
    # Before the draft, because a merge of the company locks both in this order.
    with change_partner(draft.partner_id, actor=actor, now=now):
        # One UPDATE decides: of two requests, only one changes the row and creates the integration.
        unsent = IntegrationDraft.objects.filter(pk=draft.pk, sent_at=None, integration=None)
        claimed_count = unsent.filter(version=version).update(sent_at=now)
        current = IntegrationDraft.objects.select_related("partner", "integration", "saved_by").get(pk=draft.pk)
        if current.integration is not None:
            return current.integration
        if not claimed_count:
            if current.sent_at:
                raise _build_closed_refusal(current)
            message = _("%(name)s changed this draft. Review it again.")
            raise StaleVersionError(message % {"name": current.saved_by or _("Someone")})
        current.integration = create_integration(current.partner, current.program_key, values, actor=actor, now=now)
        current.save(update_fields=["integration"])
    return current.integration


def _build_closed_refusal(draft: IntegrationDraft) -> ActionRefused:
    """Return the refusal for a draft that no longer accepts input. Only a submitted draft has an integration."""
    message = _("This draft was deleted.") if draft.integration_id is None else _("This draft was already submitted.")
    return ActionRefused(message, "invalid-transition")


def discard_draft(draft: IntegrationDraft, *, actor: AnyUser, now: datetime) -> None:
    """Delete a draft. The row stays so that a colleague's later save gets an error.

    A repeated deletion has no effect. Raises ActionRefused if the draft of an integration was submitted.
    """
    refusals.require_permission(permissions.can_edit_partner, draft.partner, actor)
    if not IntegrationDraft.objects.filter(pk=draft.pk, sent_at=None).update(sent_at=now):
        current = IntegrationDraft.objects.get(pk=draft.pk)
        if current.integration_id is not None and not current.requirement_id:
            raise _build_closed_refusal(current)


def restore_draft(draft: IntegrationDraft, *, actor: AnyUser, now: datetime) -> None:
    """Undo the deletion of a draft. Raises ActionRefused when the undo period is over."""
    refusals.require_permission(permissions.can_edit_partner, draft.partner, actor)
    # A submitted draft has an integration and can't be restored. One that was restored before stays as it is.
    is_restorable = Q(sent_at=None) | Q(sent_at__gt=get_undo_start(now))
    if not IntegrationDraft.objects.filter(is_restorable, pk=draft.pk, integration=None).update(sent_at=None):
        raise ActionRefused(_("This draft can no longer be restored. Create a new draft."), "invalid-transition")


def get_undo_start(now: datetime) -> datetime:
    """Return since when deletions can be undone."""
    return now - timedelta(minutes=settings.UNDO_MINUTES)
