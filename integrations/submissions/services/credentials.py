"""How are test accounts kept, opened and ended? Sealed at rest; each opening is written down with who and why.

The value itself is in no event, log, draft or page but the one on which the reviewer asked for it.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from integrations.partners import permissions
from integrations.submissions.models import Credential, CredentialUse, Integration
from integrations.submissions.services.requirements import answer, handing_in
from integrations.submissions.services.transitions import changing
from integrations.submissions.workflow.states import ENDS, Stage, Status
from portal.audit.services import record
from portal.core import crypto
from portal.core.errors import NotAllowed

ROTATE_AFTER = timedelta(days=90)
REMIND_AGAIN = timedelta(days=30)
AFTER_REVIEW = (Stage.RELEASE, Stage.SUPPORT)
How = CredentialUse.How


def current(integration: Integration, requirement_id: str) -> list[Credential]:
    """The accounts that are kept, oldest first."""
    rows = integration.credentials.filter(requirement_id=requirement_id, ended_at=None)
    return list(rows.select_related("created_by").order_by("pk"))


def why_over(credential: Credential, integration: Integration, now: datetime) -> str:
    """Why an account's time is over; blank while it counts. A decision that can be undone ends nothing yet."""
    if credential.ended_at is not None:
        return credential.ended_why or "ended"
    if integration.undo_until is not None and integration.undo_until > now:
        return ""
    if integration.stage in ENDS:
        return f"the integration is {integration.stage}"
    if integration.stage in AFTER_REVIEW and not credential.permanent:
        return "the review is over"
    return ""


@sensitive_variables("secret")
def give(
    integration: Integration,
    requirement_id: str,
    label: str,
    secret: crypto.Secret,
    *,
    permanent: bool,
    by: Any,
    now: datetime,
    uuid: UUID,
    replaces: str = "",
) -> Credential:
    """Seal an account under the uuid that its form was given, so that sending it twice keeps it once.

    With `replaces` (a uuid) it takes the place of that one: this is how an account is rotated.
    """
    with handing_in(integration, requirement_id, by=by) as (row, requirement):
        known = Credential.objects.filter(uuid=uuid).first()
        if known is not None:
            return _same(known, row)
        if permanent and not requirement.permanent:
            raise NotAllowed(_("This program asks for accounts that end with the review."))
        if replaces:
            end(_named(current(row, requirement_id), replaces), "replaced", now)
        credential = Credential(
            uuid=uuid, integration=row, requirement_id=requirement_id, label=label, permanent=permanent,
            created_by=by, created_at=now, rotate_at=now + ROTATE_AFTER if permanent else None,
        )  # fmt: skip
        credential.sealed = crypto.seal(secret, credential.context())
        credential.save()
        _tell_given(row, credential, bool(replaces), by, now)
    return credential


def _tell_given(row: Integration, credential: Credential, replaced: bool, by: Any, now: datetime) -> None:
    told = {"label": credential.label, "permanent": credential.permanent, "replaced": replaced}
    summary = _kept(row, credential.requirement_id)
    answer(
        row, credential.requirement_id, {}, by=by, now=now, verb="credential_given", summary=summary, told=told
    )  # fmt: skip


def _same(known: Credential, row: Integration) -> Credential:
    if known.integration_id != row.pk:
        raise NotAllowed(_("Open this page again and send the account once more."), "stale")
    return known


def _kept(row: Integration, requirement_id: str) -> str:
    return f"Kept: {', '.join(each.label for each in current(row, requirement_id))}."[:500]


def _named(kept: Iterable[Credential], uuid: str) -> Credential:
    found = next((credential for credential in kept if str(credential.uuid) == uuid), None)
    if found is None:
        raise NotAllowed(_("This account was replaced or withdrawn meanwhile."), "stale")
    return found


def withdraw(integration: Integration, requirement_id: str, uuid: str, *, by: Any, now: datetime) -> None:
    """The company takes an account back: its value is gone at once."""
    with handing_in(integration, requirement_id, by=by) as (row, _):
        credential = _named(current(row, requirement_id), uuid)
        end(credential, "withdrawn", now)
        left = current(row, requirement_id)
        answer(
            row, requirement_id, {}, by=by, now=now, status=Status.GIVEN if left else Status.OPEN,
            verb="credential_withdrawn", told={"label": credential.label},
            summary=_kept(row, requirement_id) if left else "",
        )  # fmt: skip


def end(credential: Credential, why: str, now: datetime) -> None:
    """Forget the value and say why. Call with the integration locked."""
    credential.sealed, credential.ended_at, credential.ended_why = b"", now, why
    credential.rotate_at = None
    credential.save()


def reveal(credential: Credential, *, reason: str, by: Any, now: datetime) -> crypto.Secret:
    """Open an account for the assigned reviewer, who says why. The company is told by mail."""
    return _use(credential, How.REVEAL, "credential_revealed", reason, by=by, now=now)


def use_in_sandbox(credential: Credential, *, by: Any, reason: str, now: datetime) -> str:
    """The value for one sandbox run, which the assigned reviewer or the machine (`by` None) starts."""
    return _use(credential, How.SANDBOX, "credential_used", reason, by=by, now=now).value


def _use(credential: Credential, how: str, verb: str, reason: str, *, by: Any, now: datetime) -> crypto.Secret:
    if not reason.strip():
        raise NotAllowed(_("Say why: the reason is written down and the company reads it."))
    with changing(credential.integration, permissions.may_open, by=by, now=now) as row:
        locked = row.credentials.get(pk=credential.pk)
        over = why_over(locked, row, now)
        if over:
            raise NotAllowed(_("This account is no longer kept: %(over)s.") % {"over": over}, "gone")
        try:
            secret = crypto.unseal(bytes(locked.sealed), locked.context())
        except crypto.CannotOpen as cannot:
            raise NotAllowed(str(cannot), "gone") from None
        reason = reason.strip()[:300]
        locked.uses.create(how=how, by=by, reason=reason, at=now)
        title = row.edition.requirement(locked.requirement_id)
        record(
            row, verb, by=by, now=now, note=reason, requirement=locked.requirement_id,
            title=title.title if title else "", label=locked.label,
        )  # fmt: skip
    return secret


def end_due(now: datetime) -> int:
    """End the accounts whose time is over. Returns how many."""
    ended = Q(integration__stage__in=ENDS) | Q(integration__stage__in=AFTER_REVIEW, permanent=False)
    final = Q(integration__undo_until=None) | Q(integration__undo_until__lte=now)
    due = Credential.objects.filter(ended, final, ended_at=None).select_related("integration__partner")
    return sum(_end_one(credential, now) for credential in list(due[:200]))


def _end_one(credential: Credential, now: datetime) -> bool:
    with changing(credential.integration, permissions.nobody, by=None, now=now) as row:
        locked = row.credentials.get(pk=credential.pk)
        why = why_over(locked, row, now)
        if locked.ended_at is not None or not why:
            return False
        end(locked, why, now)
        requirement_id, label = locked.requirement_id, locked.label
        record(row, "credential_ended", by=None, now=now, note=why, requirement=requirement_id, label=label)
        return True


def remind_due(now: datetime) -> int:
    """Ask the company to rotate permanent accounts, once for each due moment. Returns how many."""
    due = Credential.objects.filter(ended_at=None, permanent=True, rotate_at__lte=now)
    return sum(_remind(credential, now) for credential in list(due.select_related("integration__partner")[:200]))


def _remind(credential: Credential, now: datetime) -> bool:
    with transaction.atomic(), changing(credential.integration, permissions.nobody, by=None, now=now) as row:
        mine = Credential.objects.filter(pk=credential.pk, ended_at=None, rotate_at=credential.rotate_at)
        if not mine.update(rotate_at=now + REMIND_AGAIN):
            return False
        requirement = row.edition.requirement(credential.requirement_id)
        record(
            row, "credential_to_rotate", by=None, now=now, requirement=credential.requirement_id,
            title=requirement.title if requirement else "", label=credential.label,
            given_at=credential.created_at.isoformat(), due_at=f"{credential.rotate_at:%Y-%m-%dT%H:%M%z}",
        )  # fmt: skip
        return True


def rekey() -> tuple[int, list[Credential]]:
    """Seal every kept account with the newest key. Returns how many, and those that no key opens.

    Can run beside everything else and be repeated: each row is exchanged only where it is still the one read.
    """
    done, lost = 0, []
    for credential in Credential.objects.filter(ended_at=None).iterator():
        if crypto.is_current(bytes(credential.sealed)):
            continue
        try:
            secret = crypto.unseal(bytes(credential.sealed), credential.context())
        except crypto.CannotOpen:
            lost.append(credential)
            continue
        same = Credential.objects.filter(pk=credential.pk, sealed=bytes(credential.sealed))
        done += same.update(sealed=crypto.seal(secret, credential.context()))
    return done, lost
