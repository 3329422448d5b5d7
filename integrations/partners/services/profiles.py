"""How does a company change what its record says: its name and its website? Each change is one event."""

from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from integrations.partners import name_validation, permissions
from integrations.partners.models import Partner
from portal.audit.services import record
from portal.core.errors import NotAllowed

FACTS = {"name": "Name", "website": "Website"}


def change(partner: Partner, *, name: str, website: str, by: Any, now: datetime) -> Partner:
    """Give a company another name or website; the address of its page stays. The same again changes nothing.

    Raises NotAllowed for who is no owner, and for a name that cannot be or looks like another company's.
    """
    name = " ".join(name.split())
    try:
        with transaction.atomic():
            row = Partner.objects.select_for_update(of=("self",)).get(pk=partner.pk)
            permissions.forget_roles(by)
            if not permissions.manages(row, by):
                raise NotAllowed(permissions.refusal("may_manage"), "may")
            if refusal := name_refusal(row, name, now):
                raise NotAllowed(refusal)
            _write(row, {"name": name, "website": website}, by, now)
    except IntegrityError as crossed:
        raise NotAllowed(_("Somebody took this name just now. Choose another."), "stale") from crossed
    return row


def name_refusal(partner: Partner, name: str, now: datetime) -> str:
    """Why this company may not be called that, or blank."""
    if refusal := name_validation.name_refusal(name):
        return refusal
    alike = name_validation.twin(name, now)
    if alike is not None and alike.pk != partner.pk:
        return _("A company with this name, or one that looks just like it, is already here.")
    return ""


def _write(row: Partner, facts: dict[str, str], by: Any, now: datetime) -> None:
    before = {key: getattr(row, key) for key, value in facts.items() if getattr(row, key) != value}
    if not before:
        return
    changes = {key: facts[key] for key in before}
    for key, value in changes.items():
        setattr(row, key, value)
    row.save()
    said = "\n".join(f"{FACTS[key]}: {before[key] or 'none'} → {changes[key] or 'none'}" for key in before)
    record(row, "company_changed", by=by, now=now, note=said, changes=changes, before=before)
