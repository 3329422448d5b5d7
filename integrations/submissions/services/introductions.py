"""How do two companies that work on the same thing meet? One asks, the other agrees; then both see names.

Who asks consents by asking. Until the other side agrees its history holds what the asker wrote, and no name.
"""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.submissions.models import Integration, Introduction
from integrations.submissions.services.transitions import lock
from portal.audit.services import record
from portal.core.errors import NotAllowed

State = Introduction.State


def ask(asking: Integration, other: Integration, message: str, *, by: Any, now: datetime) -> Introduction:
    """Ask the company behind `other` for an introduction. Where it asked first, this agrees.

    Asking twice is asking once. Raises NotAllowed: not an editor, one's own company, answered already.
    """
    if not permissions.may_edit(asking, by):
        raise NotAllowed(permissions.refusal("may_edit"), "may")
    if asking.partner_id == other.partner_id:
        raise NotAllowed(_("Both integrations are your own company's."))
    with transaction.atomic():
        _lock_both(asking, other)
        theirs = Introduction.objects.filter(asking=other, other=asking, state=State.ASKED).first()
        if theirs is not None:
            return _agreed(theirs, by, now)
        wanted = {"message": message.strip()[:1000], "asked_by": by, "asked_at": now}
        introduction, is_new = Introduction.objects.get_or_create(asking=asking, other=other, defaults=wanted)
        if not is_new:
            return _still_asked(introduction)
        record(other, "introduction_asked", by=None, now=now, note=introduction.message, introduction=introduction.pk)
    return introduction


def _still_asked(introduction: Introduction) -> Introduction:
    if introduction.state == State.AGREED:
        raise NotAllowed(_("You have been introduced already."), "stale")
    if introduction.state == State.DECLINED:
        raise NotAllowed(_("The other side was asked and would rather not be introduced."), "stale")
    return introduction


def agree(introduction: Introduction, *, by: Any, now: datetime) -> Introduction:
    """The other side agrees: from now on both see company, name and mail address of each other."""
    with transaction.atomic():
        return _agreed(_waiting(introduction, by), by, now)


def decline(introduction: Introduction, *, by: Any, now: datetime) -> Introduction:
    """The other side would rather not. The asker learns that, and no name."""
    with transaction.atomic():
        row = _decided(_waiting(introduction, by), State.DECLINED, by, now)
        record(row.other, "introduction_declined", by=by, now=now, introduction=row.pk)
        record(row.asking, "introduction_declined", by=None, now=now, introduction=row.pk)
    return row


def _lock_both(one: Integration, other: Integration) -> None:
    """Both rows, always in the same order, so that two who ask each other at once do not wait for ever."""
    for pk in sorted({one.pk, other.pk}):
        lock(pk)


def _waiting(introduction: Introduction, by: Any) -> Introduction:
    """The introduction as it is now, both integrations locked. Raises NotAllowed where nothing is asked."""
    if not permissions.may_edit(introduction.other, by):
        raise NotAllowed(permissions.refusal("may_edit"), "may")
    _lock_both(introduction.asking, introduction.other)
    row = Introduction.objects.select_related("asking__partner", "other__partner", "decided_by").get(pk=introduction.pk)
    if row.state != State.ASKED:
        agreed, declined = _("%(who)s agreed on %(at)s UTC already."), _("%(who)s declined on %(at)s UTC already.")
        said = agreed if row.state == State.AGREED else declined
        raise NotAllowed(
            said % {"who": row.decided_by or _("Somebody"), "at": f"{row.decided_at:%d %b, %H:%M}"},
            "stale",
        )
    return row


def _decided(row: Introduction, state: str, by: Any, now: datetime) -> Introduction:
    row.state, row.decided_by, row.decided_at = state, by, now
    row.save()
    return row


def _agreed(introduction: Introduction, by: Any, now: datetime) -> Introduction:
    row = _decided(introduction, State.AGREED, by, now)
    for side in (row.asking, row.other):
        record(side, "introduction_agreed", by=by, now=now, introduction=row.pk)
    return row
