"""Introductions of two partners that work on the same product.

A request implies consent. Until the other side agrees, it sees the message and no name.
"""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from integrations.partners import permissions, refusals
from integrations.submissions.models import Integration, Introduction
from integrations.submissions.services.transitions import lock_integration
from portal.accounts.models import User
from portal.audit.services import record_event
from portal.core.errors import ActionRefused
from portal.ui.components.moments import format_full

State = Introduction.State


def request_introduction(
    requester: Integration, recipient: Integration, message: str, *, actor: User, now: datetime
) -> Introduction:
    """Request an introduction to the partner of `recipient`, or accept its earlier request.

    A repeated request has no effect. Raises ActionRefused for non-editors, the same partner, an ended integration, or a
    decided request.
    """
    refusals.require_permission(permissions.can_edit, requester, actor)
    if requester.partner_id == recipient.partner_id:
        raise ActionRefused(_("Both integrations belong to your company."), "validation-error")
    with transaction.atomic():
        if not _lock_integrations(requester, recipient)[requester.pk].is_open:
            raise ActionRefused(_("This integration has ended. You can't request introductions."), "invalid-transition")
        reverse_requests = Introduction.objects.filter(requester=recipient, recipient=requester)
        # A request implies consent, and now both sides have requested it.
        if reverse_request := reverse_requests.filter(state=State.ASKED).first():
            return _accept(reverse_request, actor, now)
        defaults = {"message": message.strip()[:1000], "asked_by": actor, "asked_at": now}
        introduction, is_new = Introduction.objects.get_or_create(
            requester=requester, recipient=recipient, defaults=defaults
        )
        if introduction.state == State.AGREED or reverse_requests.filter(state=State.AGREED).exists():
            raise ActionRefused(_("Both sides already accepted this introduction."), "conflict")
        if introduction.state == State.DECLINED:
            raise ActionRefused(_("The other partner declined the introduction."), "conflict")
        if not is_new:
            return introduction
        note = introduction.message
        # Without the actor: until it agrees, the recipient sees the message and no name.
        record_event(recipient, "introduction.requested", actor=None, now=now, note=note, introduction=introduction.pk)
    return introduction


def accept_introduction(introduction: Introduction, *, actor: User, now: datetime) -> None:
    """Accept an introduction, so that both sides see each other's company, name, and email address."""
    with transaction.atomic():
        _accept(_lock_pending(introduction, actor), actor, now)


def decline_introduction(introduction: Introduction, *, actor: User, now: datetime) -> None:
    """Decline an introduction without revealing a name."""
    with transaction.atomic():
        declined = _lock_pending(introduction, actor)
        _save_decision(declined, State.DECLINED, actor, now)
        # The requester doesn't learn who declined, or for which company.
        for integration, visible_actor in ((declined.recipient, actor), (declined.requester, None)):
            record_event(integration, "introduction.declined", actor=visible_actor, now=now, introduction=declined.pk)


def _lock_integrations(first: Integration, second: Integration) -> dict[int, Integration]:
    """Lock both rows in a fixed order to prevent a deadlock, and return them by ID."""
    return {pk: lock_integration(pk) for pk in sorted({first.pk, second.pk})}


def _lock_pending(introduction: Introduction, actor: User) -> Introduction:
    """Return the pending introduction with both integrations locked. Raises ActionRefused."""
    refusals.require_permission(permissions.can_edit, introduction.recipient, actor)
    _lock_integrations(introduction.requester, introduction.recipient)
    rows = Introduction.objects.select_related("requester__partner", "recipient__partner", "decided_by")
    locked_introduction = rows.get(pk=introduction.pk)
    if locked_introduction.state != State.ASKED:
        assert locked_introduction.decided_at is not None
        message = _("%(name)s already declined this request on %(time)s.")
        if locked_introduction.state == State.AGREED:
            message = _("%(name)s already accepted this request on %(time)s.")
        decided_by = locked_introduction.decided_by
        decided_at = format_full(locked_introduction.decided_at)
        raise ActionRefused(message % {"name": decided_by or _("Someone"), "time": decided_at}, "conflict")
    return locked_introduction


def _save_decision(introduction: Introduction, state: str, actor: User, now: datetime) -> None:
    introduction.state = state
    introduction.decided_by = actor
    introduction.decided_at = now
    introduction.save()


def _accept(introduction: Introduction, actor: User, now: datetime) -> Introduction:
    _save_decision(introduction, State.AGREED, actor, now)
    for integration in (introduction.requester, introduction.recipient):
        record_event(integration, "introduction.accepted", actor=actor, now=now, introduction=introduction.pk)
    return introduction
