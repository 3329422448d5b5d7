"""Example data of the events about integrations that send an email."""

from datetime import datetime
from typing import Any

from django.db import transaction

from integrations.submissions import notices
from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.audit.event_types import EMAILS
from portal.audit.services import record_event
from portal.notifications.models import EmailMessage

MEETING_URL = "https://meet.example/rocket"
ISSUE_DATA = {
    "issues": [
        {
            "issue": "00000000-0000-4000-8000-000000000000",
            "name": "acme/rocket#7",
            "title": "It does not start",
            "url": "https://github.com/acme/rocket/issues/7",
            "target_type": "resolve",
            "severity": "critical",
            "due": "2026-04-15T09:00:00+00:00",
            "share": 75,
            "last_commenter_role": "reporter",
            "alert": "7:warned",
        }
    ],
    "count": 1,
}
DECISION_DATA = {"issue": ISSUE_DATA["issues"][0]["issue"], "name": "acme/rocket#7", "title": "It does not start"}  # type: ignore[index]
# Data of event types, beyond what every event has.
DATA: dict[str, dict[str, Any]] = {
    "integration.repository_changed": {"changes": {"repository": ["acme/rocket", "acme/rocket-next"]}},
    "introduction.requested": {"introduction": 1},
    "introduction.accepted": {"introduction": 1},
    "introduction.declined": {"introduction": 1},
    "check.failed": {"requirement": "R", "title": "License", "finding": 1, "due": "2026-04-28T20:00:00+00:00"},
    "check.passed": {"requirement": "R", "title": "License", "finding": 1},
    "check.disagreed": {"requirement": "R", "title": "License", "commit": "9f3c1e0a77b2"},
    "requirement.waived": {
        "requirement": "R",
        "title": "Internal support documentation",
        "until": "2026-06-01T00:00:00+00:00",
    },
    "requirement.waiver_requested": {"requirement": "R", "title": "Internal support documentation"},
    "requirement.waiver_declined": {"requirement": "R", "title": "Internal support documentation"},
    "requirement.waiver_ending": {
        "requirement": "R",
        "title": "Internal support documentation",
        "until": "2026-06-01T00:00:00+00:00",
    },
    "requirement.waiver_request_withdrawn": {
        "requirement": "R",
        "title": "Code checks",
        "repository": "acme/rocket",
        "ended": [],
        "withdrawn": ["Code checks"],
    },
    "requirement.waiver_ended": {
        "requirement": "R",
        "title": "Internal support documentation",
        "until": "2026-06-01T00:00:00+00:00",
    },
    "check.accepted": {"check": "repository.owner", "title": "Same owner", "thing": "new owner", "value": "9"},
    "agreement.signed_by_partner": {"requirement": "R", "title": "Technology Partner Agreement", "version": "3"},
    "agreement.signed_by_program": {"requirement": "R", "title": "Technology Partner Agreement", "version": "3"},
    "agreement.uploaded": {"requirement": "R", "title": "Partner Agreement", "version": "3"},
    "agreement.upload_rejected": {"requirement": "R", "title": "Partner Agreement", "version": "3"},
    "agreement.replaced": {"requirement": "R", "title": "Partner Agreement", "version": "4", "replaces": "3"},
    "agreement.completed": {"requirement": "R", "title": "Technology Partner Agreement", "version": "3"},
    "meeting.proposed": {
        "requirement": "R",
        "title": "Live demo",
        "times": ["2026-04-20T14:00+00:00"],
        "starts_at": "",
    },
    "meeting.scheduled": {
        "requirement": "R",
        "title": "Live demo",
        "starts_at": "2026-04-20T14:00+00:00",
        "place": MEETING_URL,
    },
    "meeting.canceled": {"requirement": "R", "title": "Live demo"},
    "credential.accessed": {"requirement": "R", "title": "Test account", "label": "Sandbox"},
    "credential.rotation_requested": {"requirement": "R", "title": "Test account", "label": "Sandbox"},
    "issue.warning_sent": ISSUE_DATA,
    "issue.breached": ISSUE_DATA,
    "issue.breach_retracted": ISSUE_DATA,
    "issue.severity_reduction_requested": DECISION_DATA,
    "issue.disputed": DECISION_DATA,
    "issue.dispute_dismissed": DECISION_DATA,
    "issue.severity_reduced": DECISION_DATA,
    "issue.excluded": DECISION_DATA,
    "issue.dispute_accepted": DECISION_DATA,
    "issue.severity_corrected": DECISION_DATA,
    "issue.breach_waived": DECISION_DATA,
    "program.notice_suggested": {"reason": "2 SLA breaches within 90 days"},
    "compliance.deadline_paused": {
        "activities": [{"key": "release", "summary": "A new release was seen: 1.2.0", "at": "", "url": ""}]
    },
    "tier.requested": {"tier": "verified"},
    "tier.granted": {"tier": "verified"},
    "tier.declined": {"tier": "verified"},
    "integration.edition_moved": {
        "old_edition": "2021-04",
        "new_edition": "2026-06",
        "added": ["An SBOM"],
        "removed": ["A form"],
    },
}
EVENT_TYPES = [key for key, email in EMAILS.items() if email.audience in notices.FINDERS]


def record_sample_event(
    row: Integration, event_type: str, by: User, now: datetime, note: str = "Because."
) -> list[EmailMessage]:
    row.review_round = row.review_round or 1  # before the first review, the program gets fewer emails
    with transaction.atomic():
        who = None if EMAILS[event_type].is_anonymous else by
        event = record_event(row, event_type, actor=who, now=now, note=note, **DATA.get(event_type, {}))
    return list(EmailMessage.objects.filter(event=event).order_by("pk"))
