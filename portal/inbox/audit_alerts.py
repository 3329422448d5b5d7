"""Daily verification of the recent part of the audit log, with an email to administrators about faults."""

from datetime import datetime
from hashlib import sha256
from pathlib import Path

from django.conf import settings
from django.db import transaction

from portal.accounts.models import User
from portal.audit.models import AuditEvent
from portal.audit.verification import verify_since_anchor
from portal.notifications import email

MAX_FAULTS = 20  # in an email


def report_faults(now: datetime) -> int:
    """Verify the anchors and the events since the newest one. Return the number of faults.

    Each administrator gets one email about the same faults.
    """
    # A new portal has an empty log, which would be a fault.
    is_empty = not AuditEvent.objects.exists()
    faults = [] if is_empty else list(verify_since_anchor(Path(settings.AUDIT_ANCHOR_DIR), now))
    if not faults:
        return 0
    digest = sha256("\n".join(map(str, faults)).encode()).hexdigest()
    context = {
        "faults": faults[:MAX_FAULTS],
        "more_count": max(0, len(faults) - MAX_FAULTS),
        "is_tampering": any(fault.is_tampering for fault in faults),
    }
    with transaction.atomic():
        for person in User.objects.filter(is_superuser=True, is_active=True).order_by("pk"):
            email.queue("audit_log_faults", f"audit_log_faults:{digest}:{person.pk}", person, context, now=now)
    return len(faults)
