"""Creates one of every object.

Every private text of Acme contains the canary. Times are relative to today, like those of the pages.
"""

import json
from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from integrations.partners.services import members
from integrations.reviews.services import claims as review_claims
from integrations.submissions.models import Integration
from integrations.submissions.services import (
    credentials,
    documents,
    drafts,
    findings as reviewing,
    introductions,
    meetings,
    requirements,
)
from integrations.submissions.services.agreements import Signature
from integrations.submissions.services.transitions import perform_transition
from portal.accounts import invitations as staff_invitations
from portal.analytics.saved_views import services as saved
from portal.api.services import tokens
from portal.core import crypto, periods
from portal.core.repository_urls import get_product_name
from portal.core.uploads import validate_file
from portal.inbox import calendar_feed
from portal.notifications.models import EmailMessage
from portal.reports import scopes, tasks
from portal.reports.models import ExternalRecipient
from portal.webhooks import services
from tests.conftest import advance_to_stage, create_integration
from tests.integrations.sla.pages.issues import create_issue
from tests.integrations.submissions.signatures import MNDA, sign
from tests.portal.accounts.sign_in import get_link
from verification.checks.models import CiCheckReport
from verification.discovery.models import Discovery
from verification.schemas import services as stored
from verification.terraform.versions import parse_version
from verification.testruns.kinds.nomad_plugin.records import NomadPluginRecords, NomadPluginTarget
from verification.testruns.kinds.provider_lifecycle.records import ProviderLifecycleRecords as Lifecycle
from verification.testruns.models import TestRun

CANARY = "canary-7f3a"
ROLES = ("anonymous", "alice", "bob", "vera", "charlie", "rita", "rob", "sam", "vic", "mona", "audrey")
LOGS = "NO-7-LOGS"
MEETING = "NO-7"
ACCOUNTS = "NO-6"
FORM = "NO-3"
ATTESTED_REQUIREMENT = "NO-4"
AGREEMENT_REQUIREMENT = "NO-8"


def create_objects(acme: Any, globex: Any, users: Any) -> dict[str, Any]:
    """Create Acme's integration in review with one object of each kind, and a similar one of Globex."""
    alice = users["alice"]
    charlie = users["charlie"]
    rita = users["rita"]
    now = timezone.now() - timedelta(days=1)
    row = create_integration(acme, alice, name=f"Rocket {CANARY}", description=CANARY, now=now)
    agreement = sign(row, alice, now, Signature(CANARY, CANARY, CANARY), MNDA)
    row = advance_to_stage(row, "review", partner=alice, reviewer=rita, now=now)
    review_claims.claim_review(row, actor=rita, now=timezone.now())
    booster = create_integration(acme, alice, name="Booster", repository="acme/booster", repository_id=1, now=now)
    lander = create_integration(acme, alice, name="Lander", repository="acme/lander", repository_id=2, now=now)
    integration = advance_to_stage(booster, "support", partner=alice, reviewer=rita, now=now)
    reviewed_integration = request_changes(lander, users, now)
    dismissed_request = dismiss_notice(integration, users, now)
    other = create_integration(globex, charlie, name="Rocket", repository="globex/rocket", repository_id=3, now=now)
    driver = create_integration(acme, alice, name="Driver", category="container-runtime", repository_id=4, now=now)
    task = create_integration(acme, alice, program="terraform-run-task", repository="", name="Preflight", now=now)
    introduction = introductions.request_introduction(other, row, "We build a rocket too.", actor=charlie, now=now)
    invitation = members.send_invitation(acme, "charlie@globex.example", "viewer", actor=alice, now=now)
    texts = {**create_messages(row, users, now), **create_submissions(row, users, now)}
    row = Integration.objects.get(pk=row.pk)
    return {
        "partner": acme,
        "integration": row,
        "agreement": agreement,
        "rob": users["rob"],
        "users": users,
        "report": create_report(acme, now),
        "recipient": ExternalRecipient.objects.create(scope="programs", email="vip@bank.example", added_at=now),
        **create_subscriptions(acme, alice, now),
        **invite_reviewer(users["sam"], now),
        "listed": Integration.objects.get(pk=integration.pk),
        "dismissed_request": dismissed_request,
        "other": other,
        "changes_requested": reviewed_integration,
        "published_finding": reviewed_integration.findings.get(),
        "driver": driver,
        "task": task,
        "test_runs": create_test_runs(row, task, driver, alice, now),
        "api_token": tokens.create_token(f"ci {CANARY}", ["integrations:read"], 30, actor=alice, now=now, partner=acme)[
            0
        ],
        "issue": create_issue(integration, f"Booster {CANARY} fails", now + timedelta(hours=1), labels=("critical",)),
        "introduction": introduction,
        "view": saved.save_view(alice, "integrations", CANARY, "stage=review", shared=False, now=now),
        "invitation": invitation,
        "token": members.create_invitation(acme, "new@acme.example", "editor", actor=alice, now=now)[1],
        "join_request": members.request_to_join(acme, message="Hello.", actor=charlie, now=now),
        "discovery": Discovery.objects.create(
            requested_by=alice,
            address=f"acme/nomad-driver-{CANARY}",
            kind="repository",
            name=f"acme/nomad-driver-{CANARY}",
            program_key="nomad",
            created_at=now,
            read_at=now,
            finished_at=now,
        ),
        "member": acme.memberships.get(user=users["bob"]),
        **texts,
        "ci_report": CiCheckReport.objects.create(
            integration=row, reported_by=f"ci {CANARY}", commit="9f3c1e0", outcome="pass", at=now
        ),
    }


def invite_reviewer(sam: Any, now: Any) -> dict[str, Any]:
    """Create an invitation to a role. Return it and its token from the email."""
    invitation = staff_invitations.send_invitation("nora@program.example", ["reviewer:nomad"], actor=sam, now=now)
    mail = EmailMessage.objects.get(name="staff_invitation")
    return {"staff_invitation": invitation, "staff_token": get_link(mail).rsplit("/", 2)[-2]}


def create_subscriptions(acme: Any, alice: Any, now: Any) -> dict[str, Any]:
    """Create a webhook with a message, and a calendar feed."""
    values = {
        "name": f"Build {CANARY}",
        "event_types": ["integration.listed"],
        "url": f"https://hooks.acme.com/{CANARY}",
    }
    endpoint, _ = services.create_endpoint(acme, values, actor=alice, now=now)
    test_event = services.send_test_event(endpoint, actor=alice, now=now)
    calendar = calendar_feed.create_feed(alice, now).rsplit("/", 1)[-1].removesuffix(".ics")
    return {"endpoint": endpoint, "message": test_event, "calendar": calendar}


def create_test_runs(row: Any, task: Any, driver: Any, alice: Any, now: Any) -> dict[str, int]:
    """Create a finished test run of each kind. Return the IDs that API operations use."""
    run_fields = {"requested_by": alice, "requested_at": now, "finished_at": now, "outcome": "error"}
    target = NomadPluginTarget("driver", CANARY, "1.4.0")
    inputs = {"url": f"https://tasks.acme.com/{CANARY}", "stages": [], "scenarios": {}, "is_signed": False}
    run_task_test = TestRun.objects.create(integration=task, kind="run_task", inputs=inputs, **run_fields)
    texts = dict.fromkeys(("base", "changed", "failing_change", "refused", "partial", "account"), CANARY)
    test_run = TestRun.objects.create(
        integration=row,
        kind="provider_lifecycle",
        version="1.4.0",
        inputs=texts | {"hosts": [], "variables": []},
        records=Lifecycle(broken=CANARY, is_complete=True).as_dict(),
        **run_fields,
    )
    TestRun.objects.create(
        integration=driver,
        kind="nomad_plugin",
        version="1.4.0",
        inputs=target.as_dict() | {"config": ""},
        records=NomadPluginRecords(target=target, broken=CANARY, is_complete=True).as_dict(),
        **run_fields,
    )
    return {"get_test_run": test_run.pk, "cancel_test_run": run_task_test.pk}


def create_report(acme: Any, now: Any) -> str:
    """Create a report about Acme. Return its scope."""
    report_scope = scopes.find_report_scope(scopes.build_partner_key(acme.slug))
    assert report_scope is not None
    tasks.get_or_create_snapshot(report_scope, periods.parse_period("2026-W16"), now)
    return str(report_scope.key)


def request_changes(row: Any, users: Any, now: Any) -> Any:
    """Return the integration in review with a published finding that the partner has not answered."""
    rita = users["rita"]
    row = advance_to_stage(row, "review", partner=users["alice"], reviewer=rita, now=now)
    review_claims.claim_review(row, actor=rita, now=now)
    reviewing.raise_finding(row, FORM, f"Explain {CANARY}.", actor=rita, now=now)
    perform_transition(row, "request_changes", actor=rita, note=CANARY, now=now)
    return Integration.objects.get(pk=row.pk)


def dismiss_notice(row: Any, users: Any, now: Any) -> int:
    """Let Rita dismiss a suggested notice. Return the number of the event, which has the evidence."""
    perform_transition(
        row,
        "suggest_notice",
        actor=None,
        now=now,
        request="sla_breaches",
        params={"count": 2, "days": 90},
        reason=f"2 breaches {CANARY}",
    )
    return int(perform_transition(row, "dismiss_request", actor=users["rita"], note=CANARY, now=now).seq)


def create_messages(row: Any, users: Any, now: Any) -> dict[str, Any]:
    """Create messages of both sides, a note, an unpublished finding, and a draft."""
    rita = users["rita"]
    alice = users["alice"]
    reviewing.post_message(row, f"From us: {CANARY}", actor=alice, now=now)
    reviewing.post_message(row, f"Note: {CANARY}", actor=rita, now=now, is_internal=True)
    unpublished = reviewing.raise_finding(row, FORM, f"Show {CANARY}.", actor=rita, now=now)
    start = drafts.create_draft(row.partner, "vault", actor=alice, now=now)
    draft_fields = {"name": f"Draft {CANARY}", "repository_address": "acme/vault-plugin-x"}
    return {"finding": unpublished, "draft": drafts.save_draft(start, draft_fields, version=0, actor=alice, now=now)}


def build_schema(row: Any) -> bytes:
    """Return the schema of the integration's provider as Terraform prints it, with one resource."""
    name = get_product_name(row.repository)
    block = {"attributes": {"id": {"type": "string", "computed": True, "description": CANARY}}}
    resources = {"resource_schemas": {f"{name}_pad": {"version": 0, "block": block}}}
    schema = {"format_version": "1.0", "provider_schemas": {f"registry.terraform.io/acme/{name}": resources}}
    return json.dumps(schema).encode()


def create_submissions(row: Any, users: Any, now: Any) -> dict[str, Any]:
    """Create a document, a scheduled meeting, and a test account."""
    alice = users["alice"]
    rita = users["rita"]
    file = SimpleUploadedFile(f"{CANARY}.txt", CANARY.encode())
    document = documents.upload_document(row, LOGS, validate_file(file, ("txt",)), actor=alice, now=now)
    times = (now + timedelta(days=5), now + timedelta(days=6))
    proposal = meetings.MeetingProposal(times, f"https://{CANARY}.example", 45)
    meeting = meetings.propose_times(row, MEETING, proposal, actor=alice, now=now)
    meeting = meetings.accept_time(meeting, meetings.list_proposed_times(meeting)[0], actor=rita, now=now)
    account = credentials.submit_credential(
        row, ACCOUNTS, CANARY, crypto.Secret(f"password {CANARY}"), permanent=False, actor=alice, now=now, uuid=uuid4()
    )
    requirements.submit_answer(row, FORM, {"tests": CANARY}, actor=alice, now=now)
    row.fulfillments.filter(requirement_id=ATTESTED_REQUIREMENT).delete()  # to confirm it
    for version in ("1.4.0", "1.5.0"):
        stored.store_schema(row, parse_version(version), build_schema(row), actor=alice, now=now)
    mail = EmailMessage.objects.filter(person=alice, name="meeting_agreed").first()
    return {"document": document, "meeting": meeting, "account": account, "mail": mail}
