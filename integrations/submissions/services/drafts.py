"""How is a draft kept? It saves itself; of two pages that type at once, the second sees both versions.

Whose pages they are makes no difference: one person has two tabs, a telephone, a page from yesterday.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.partners.models import Partner
from integrations.submissions.models import Draft, Integration
from integrations.submissions.services.creation import create
from portal.core.errors import NotAllowed

NOTHING_YET = 0  # the version of a draft into which nobody has typed


class Conflict(Exception):
    """Another version was saved meanwhile. `theirs` is the row as it stands, `mine` what was typed here."""

    def __init__(self, theirs: Draft, mine: Mapping[str, Any], by: Any) -> None:
        own = theirs.saved_by_id == by.pk
        super().__init__(
            _("You saved another version meanwhile, on another page.")
            if own
            else _("%(who)s saved another version meanwhile.") % {"who": theirs.saved_by or _("Somebody")}
        )
        self.is_own = own
        self.theirs, self.mine = theirs, dict(mine)


def open_start(partner: Partner, program: str, *, by: Any, now: datetime) -> Draft:
    """A new draft of an integration of this partner."""
    _may(partner, by)
    return Draft.objects.create(partner=partner, program_key=program, saved_by=by, saved_at=now)


def open_answer(integration: Integration, requirement_id: str, *, by: Any, now: datetime) -> Draft:
    """The draft of one requirement's form: the one that a colleague began, else a new one."""
    _may(integration.partner, by)
    draft, _ = Draft.objects.get_or_create(
        integration=integration,
        requirement_id=requirement_id,
        sent_at=None,
        defaults={
            "partner": integration.partner,
            "program_key": integration.program_key,
            "saved_by": by,
            "saved_at": now,
        },
    )
    return draft


def save(draft: Draft, data: Mapping[str, Any], *, version: int, by: Any, now: datetime) -> Draft:
    """Keep what was typed on top of `version`, the one that the page had. Raises Conflict where there is a newer."""
    _may(draft.partner, by)
    with transaction.atomic():
        row = Draft.objects.select_for_update(of=("self",)).select_related("saved_by").get(pk=draft.pk)
        if row.sent_at is not None:
            raise NotAllowed(_("This draft has been sent already."), "gone")
        if row.data == dict(data):
            return row
        if row.version not in (NOTHING_YET, version):
            raise Conflict(row, data, by)
        row.data, row.version = dict(data), row.version + 1
        row.saved_by, row.saved_at = by, now
        row.save()
    return row


def send(draft: Draft, facts: Mapping[str, Any], *, version: int, by: Any, now: datetime) -> Integration:
    """Turn a start draft into its integration: once, however often the button is pressed.

    A second press gets the integration of the first. Raises NotAllowed; with kind "stale" where the draft is
    no longer the `version` that the person looked at.
    """
    _may(draft.partner, by)
    with transaction.atomic():
        waiting = Draft.objects.filter(pk=draft.pk, sent_at=None, integration=None)
        taken = waiting.filter(version=version).update(sent_at=now)
        row = Draft.objects.select_related("partner", "integration", "saved_by").get(pk=draft.pk)
        if row.integration is not None:
            return row.integration
        if not taken:
            raise _not_as_seen(row)
        row.integration = create(row.partner, row.program_key, facts, by=by, now=now)
        row.save(update_fields=["integration"])
    return row.integration


def _not_as_seen(row: Draft) -> NotAllowed:
    if row.sent_at is not None:
        return NotAllowed(_("This draft was thrown away."), "gone")
    return NotAllowed(
        _("%(who)s changed the draft meanwhile. Look at it again.") % {"who": row.saved_by or _("Somebody")}, "stale"
    )


def discard(draft: Draft, *, by: Any, now: datetime) -> None:
    """Throw a draft away. It stays a row, so that a colleague's late save finds out."""
    _may(draft.partner, by)
    Draft.objects.filter(pk=draft.pk, sent_at=None).update(sent_at=now)


def _may(partner: Partner, by: Any) -> None:
    if not permissions.edits(partner, by):
        raise NotAllowed(permissions.refusal("may_edit"), "may")
