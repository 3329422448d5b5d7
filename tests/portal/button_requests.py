"""The requests that buttons and forms of pages send for the objects that sample_objects.py creates."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.utils import timezone

from integrations.submissions.services import agreements
from tests.portal.page_urls import build_url
from tests.portal.sample_objects import ACCOUNTS, AGREEMENT_REQUIREMENT, ATTESTED_REQUIREMENT, FORM, LOGS, MEETING

ButtonRequest = tuple[str, dict[str, Any], dict[str, Any]]


def list_button_requests(world: dict[str, Any]) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return the URL and the fields of each button by its label, "page: action"."""
    requests_by_label = {}
    button_requests = [*list_step_requests(world), *list_requirement_requests(world), *list_page_requests(world)]
    for label, parts, fields in button_requests:
        requests_by_label[label] = (build_url(label.partition(": ")[0], world, **parts), fields)
    return requests_by_label


def list_step_requests(world: dict[str, Any]) -> Iterator[ButtonRequest]:
    """Yield (label, URL arguments, fields) of steps."""
    row = world["integration"]
    for name in ("approve", "request_changes", "decline", "put_on_hold", "withdraw", "complete_step", "publish"):
        yield (
            f"reviews:transition: {name}",
            {"transition_name": name},
            {"note": "Because.", "version": row.version, "waits_for": "partner", "confirm_name": row.name},
        )
    for name, there in (
        ("resubmit_for_review", world["changes_requested"]),
        ("archive", world["listed"]),
        ("issue_notice", world["listed"]),
        ("downgrade_to_community", world["listed"]),
        ("appeal", world["listed"]),
        ("suggest_notice", world["listed"]),
    ):
        yield (
            f"reviews:transition: {name}",
            {"transition_name": name, "uuid": there.uuid},
            {"note": "Because.", "version": there.version, "confirm_name": there.name},
        )


def list_requirement_requests(world: dict[str, Any]) -> Iterator[ButtonRequest]:
    time = (timezone.now() + timedelta(days=9)).strftime("%Y-%m-%dT%H:%M")
    until = (timezone.now() + timedelta(days=30)).strftime("%Y-%m-%d")
    account = world["account"].uuid
    document = world["document"].uuid
    digest = agreements.get_current_agreement(world["partner"], "tpa").digest
    for action, there, fields in (
        ("answer", FORM, {"tests": "make", "documentation": "https://x.example", "answered": 2}),
        ("confirm", ATTESTED_REQUIREMENT, {"confirmed": "on"}),
        ("upload", LOGS, {"file": "a.txt"}),
        ("remove", LOGS, {"uuid": document}),
        ("sign", AGREEMENT_REQUIREMENT, {"signer": "A", "title": "CEO", "digest": digest}),
        ("propose", MEETING, {"time_1": time, "minutes": 45}),
        ("cancel", MEETING, {"reason": "Ill."}),
        ("add", ACCOUNTS, {"uuid": str(uuid4()), "label": "Tenant", "secret": "x"}),
        ("withdraw", ACCOUNTS, {"uuid": account}),
        ("reveal", ACCOUNTS, {"uuid": account, "reason": "Test."}),
        ("waive", FORM, {"reason": "Fine.", "expires_on": until}),
        ("request_waiver", FORM, {"reason": "The next release fixes this."}),
    ):
        yield f"submissions:requirement: {action}", {"requirement_id": there}, {"action": action, **fields}


def list_page_requests(world: dict[str, Any]) -> Iterator[ButtonRequest]:
    facts = {"name": "New name", "description": "Other.", "category": "ci-cd", "offerings": ["Open Source"]}
    yield (
        "submissions:edit: a name",
        {},
        facts | {"repository_address": world["integration"].repository, "homepage": ""},
    )
    conflict = {"reviewer": world["rob"].pk, "reason": "Worked there.", "action": "record"}
    yield "reviews:change_conflict: of rob", {}, conflict
    yield "reviews:assign_reviewer: to rob", {}, {"reviewer": world["rob"].pk}
    reason = {"reason": "Changes teams"}
    yield "accounts:person: grant", {}, reason | {"roles": ["reviewer", "staff"]}
    yield "accounts:person: limit", {}, reason | {"roles": ["reviewer:vault"]}
    for act in ("sign_out", "deactivate"):
        yield f"accounts:change_account: {act}", {}, reason | {"action": act}
    yield "accounts:invite_person: a reviewer", {}, {"email": "v@program.example", "roles": ["reviewer:vault"]}
    for act in ("resend", "revoke"):
        yield f"accounts:change_invitation: {act}", {}, {"action": act}
    yield "partners:invite: a viewer", {}, {"email": "v@acme.example", "role": "viewer"}
    yield "partners:change_invitation: revoke", {}, {"action": "revoke"}
    yield "partners:decide_join_request: accept", {}, {"action": "accept", "role": "viewer"}
    yield "partners:verify: by email", {}, {"action": "email"}
    yield "partners:change_member: role", {}, {"action": "role", "role": "viewer"}
    yield "partners:change_member: transfer", {}, {"action": "transfer"}
    yield "partners:change_member: end", {}, {"action": "end", "confirm_name": str(world["member"].user)}
    yield "submissions:save_draft: a name", {}, {"name": "Other", "version": world["draft"].version}
    yield "reviews:raise_finding: on a form", {}, {"requirement": FORM, "text": "More tests.", "severity": "blocking"}
    yield "reviews:answer_finding: an answer", {}, {"answer": "Done."}
    yield "reviews:answer_finding: not published yet", {"pk": world["finding"].pk}, {"answer": "Done."}
    yield "sla:label_policy: a proposal", {}, {"critical": "p0"}
    yield "sla:calendar: a look", {}, {"zone": "UTC", "workdays": [0, 1, 2, 3, 4]}
    yield "sla:calendar: another", {}, {"zone": "UTC", "workdays": [0, 1, 2, 3], "confirm": "1"}
    for act in (
        *("lower_severity", "exclude_issue", "request_lower_severity", "dispute_breach", "dismiss_dispute"),
        *("accept_dispute", "correct_severity", "waive_breach"),
    ):
        yield f"sla:{act}: a reason", {}, {"reason": "It is a question."}
    yield "webhooks:action: skip", {"action": "skip"}, {}
    yield "webhooks:remove: by name", {}, {"confirm_name": world["endpoint"].name}
    yield "webhooks:rotate_secret: another", {}, {"seen": world["endpoint"].secret_fingerprint}
    yield "submissions:introduction: agree", {}, {"answer": "agree"}
    yield "reviews:migrate_edition: nowhere", {}, {"to": "2000-01", "move": "1"}
    yield "reviews:appoint_owner: vera", {}, {"email": world["users"]["vera"].email}
    yield (
        "reviews:decide_on_partner: reject",
        {},
        {"action": "reject", "name": world["integration"].partner.name, "note": "We don't know them."},
    )
    yield "reviews:partner: manager", {}, {"manager": world["rob"].pk}
    yield "reports:send_emails: to one", {}, {"to": world["users"]["alice"].pk}
    yield "reports:recipients: a schedule", {}, {"roles": ["staff"], "weekday": 1, "hour": 9, "zone": "Europe/Berlin"}
    yield "reports:add_recipient: an address", {}, {"email": "cfo@bank.example", "frequency": "monthly"}
    yield "directory:reply: a text", {}, {"text": "We are on it."}
    yield "analytics:change_view: delete", {}, {"action": "delete"}
    yield "reviews:post_message: a message", {}, {"body": "Hello."}
    yield "reviews:post_message: a note", {}, {"body": "Hello.", "internal": "on"}
