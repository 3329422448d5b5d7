"""Creates one of every object, and the URL of every page for it.

Every private text of Acme contains the canary. Times are relative to today, like those of the pages.
"""

import json
from collections.abc import Iterator
from datetime import timedelta
from functools import cache
from typing import Any
from uuid import uuid4

from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from integrations.partners.services import invitations, members
from integrations.reviews.services import claims as review_claims
from integrations.submissions.models import Integration
from integrations.submissions.services import credentials, documents, drafts, introductions, meetings, requirements
from integrations.submissions.services import findings as reviewing
from integrations.submissions.services.transitions import perform_transition
from portal.analytics.saved_views import services as saved
from portal.api.services import tokens
from portal.core import crypto, iso_weeks
from portal.core.repository_urls import get_product_name
from portal.core.uploads import validate_file
from portal.inbox import calendar_feed
from portal.notifications import unsubscribe as stopping
from portal.notifications.models import EmailMessage
from portal.reports import scopes, tasks, unsubscribe
from portal.webhooks import services
from portal.webhooks.services import EndpointConfiguration
from tests.conftest import begin, drive
from tests.integrations.sla.pages.issues import create_issue
from verification.checks.models import CiCheckReport
from verification.schemas import services as stored
from verification.terraform.versions import parse_version
from verification.testruns.kinds.nomad_plugin.records import NomadPluginRecords, NomadPluginTarget
from verification.testruns.kinds.provider_lifecycle.records import ProviderLifecycleRecords as Lifecycle
from verification.testruns.models import TestRun

Press = tuple[str, dict[str, Any], dict[str, Any]]
CANARY = "canary-7f3a"
OURS = ("portal.", "integrations.", "verification.")
ROLES = ("anonymous", "alice", "bob", "vera", "charlie", "rita", "rob", "sam")
ISSUE_PAGES = (
    "issue",
    "lower_severity",
    "exclude_issue",
    "request_lower_severity",
    "dispute_breach",
    "dismiss_dispute",
)
# Addresses whose answer is the same for all readers and that is no page.
PUBLIC_FILES = {
    "api:openapi",
    "directory:badge_json",
    "directory:badge_keys",
    "directory:badge_shields",
    "directory:badge_statement",
    "directory:badge_statement_compact",
    "directory:badge_svg",
    "directory:feed_atom",
    "directory:feed_json",
    "directory:robots",
    "directory:sitemap",
}
EVIDENCE = ("status", "status_json", "frozen_evidence", "frozen_evidence_json")
BADGES = ("", "_svg", "_json", "_shields", "_statement", "_statement_compact", "_key")
LOGS, MEETING, ACCOUNTS, FORM, ATTESTED_REQUIREMENT, AGREEMENT_REQUIREMENT = (
    "NO-7-LOGS",
    "NO-7",
    "NO-6",
    "NO-3",
    "NO-5",
    "NO-8",
)


def patterns(url_patterns: Any = None, namespace: str = "") -> Iterator[tuple[str, URLPattern]]:
    """Every address of ours, in order; libraries' own pages (sign-in, admin) and the API, which has a table, apart."""
    for pattern in get_resolver().url_patterns if url_patterns is None else url_patterns:
        if isinstance(pattern, URLResolver):
            inner = f"{pattern.namespace}:" if pattern.namespace else namespace
            yield from patterns(pattern.url_patterns, inner) if pattern.namespace not in ("v1", "admin") else ()
        elif pattern.callback.__module__.startswith(OURS):
            yield f"{namespace}{pattern.name or ''}", pattern


@cache
def patterns_by_name() -> dict[str, URLPattern]:
    """The address of each page; of two with the same name, the one with a part to fill in."""
    return {name: pattern for name, pattern in sorted(patterns(), key=lambda pair: len(pair[1].pattern.converters))}


def names() -> set[str]:
    return set(patterns_by_name())


def build(acme: Any, globex: Any, cast: Any) -> dict[str, Any]:
    """Acme's integration in review with one of everything; Globex works on the same and is told no more."""
    alice, charlie, rita = cast["alice"], cast["charlie"], cast["rita"]
    now = timezone.now() - timedelta(days=1)
    row = begin(acme, alice, name=f"Rocket {CANARY}", description=CANARY, now=now)
    row = drive(row, "review", partner=alice, reviewer=rita, now=now)
    review_claims.claim_review(row, actor=rita, now=timezone.now())
    booster = begin(acme, alice, name="Booster", repository="acme/booster", repository_id=1, now=now)
    lander = begin(acme, alice, name="Lander", repository="acme/lander", repository_id=2, now=now)
    integration, told_integration = (
        drive(booster, "support", partner=alice, reviewer=rita, now=now),
        changes_asked(lander, cast, now),
    )
    waiting_integration = left_as_it_is(integration, cast, now)
    other = begin(globex, charlie, name="Rocket", repository="globex/rocket", repository_id=3, now=now)
    driver = begin(acme, alice, name="Driver", category="container-runtime", repository_id=4, now=now)
    task = begin(acme, alice, program="terraform-run-task", repository="", name="Preflight", now=now)
    introduction = introductions.request_introduction(other, row, "We build a rocket too.", actor=charlie, now=now)
    invitation = invitations.send_invitation(acme, "charlie@globex.example", "viewer", actor=alice, now=now)
    texts = {**talk(row, cast, now), **create_submissions(row, cast, now)}
    row = Integration.objects.get(pk=row.pk)
    return {
        "partner": acme,
        "integration": row,
        "rob": cast["rob"],
        "cast": cast,
        "report": reported_week(acme, now),
        **create_subscriptions(acme, alice, now),
        "listed": Integration.objects.get(pk=integration.pk),
        "left": waiting_integration,
        "other": other,
        "told": told_integration,
        "told_finding": told_integration.findings.get(),
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
        "join": members.request_to_join(acme, message="Hello.", actor=charlie, now=now),
        "member": acme.memberships.get(user=cast["bob"]),
        **texts,
        "reported": CiCheckReport.objects.create(
            integration=row,
            reported_by=f"ci {CANARY}",
            commit="9f3c1e0",
            outcome="pass",
            at=now,
        ),
    }


def create_subscriptions(acme: Any, alice: Any, now: Any) -> dict[str, Any]:
    """A webhook with a message, and the address of a calendar."""
    endpoint_configuration = EndpointConfiguration(
        f"Build {CANARY}", ["integration.listed"], address=f"https://hooks.acme.com/{CANARY}"
    )
    endpoint, _ = services.create_endpoint(acme, endpoint_configuration, actor=alice, now=now)
    test_event = services.send_test_event(endpoint, actor=alice, now=now)
    calendar = calendar_feed.create_feed(alice, now).rsplit("/", 1)[-1].removesuffix(".ics")
    return {"endpoint": endpoint, "message": test_event, "calendar": calendar}


def create_test_runs(row: Any, task: Any, driver: Any, alice: Any, now: Any) -> dict[str, int]:
    """Create a finished test run of each kind. Return the IDs that API operations use."""
    run_fields = {"requested_by": alice, "requested_at": now, "finished_at": now, "outcome": "error"}
    target = NomadPluginTarget("driver", CANARY, "1.4.0")
    inputs = {"url": f"https://tasks.acme.com/{CANARY}", "stages": [], "scenarios": {}, "is_signed": False}
    run_task_test = TestRun.objects.create(integration=task, kind="run_task", inputs=inputs, **run_fields)
    texts = dict.fromkeys(("base", "changed", "refused", "partial", "account"), CANARY)
    test_run = TestRun.objects.create(
        integration=row,
        kind="provider_lifecycle",
        version="1.4.0",
        inputs=texts | {"hosts": [], "variables": []},
        records=Lifecycle(broken=CANARY, over=True).as_dict(),
        **run_fields,
    )
    TestRun.objects.create(
        integration=driver,
        kind="nomad_plugin",
        version="1.4.0",
        inputs=target.as_dict() | {"config": ""},
        records=NomadPluginRecords(target=target, broken=CANARY, over=True).as_dict(),
        **run_fields,
    )
    return {"get_test_run": test_run.pk, "cancel_test_run": run_task_test.pk}


def reported_week(acme: Any, now: Any) -> str:
    """The scope of a frozen report about Acme."""
    report_scope = scopes.find_report_scope(scopes.build_partner_key(acme))
    tasks.get_or_create_snapshot(report_scope, iso_weeks.parse_week("2026-W16"), now)
    return str(report_scope.key)


def changes_asked(row: Any, cast: Any, now: Any) -> Any:
    """In review with a finding that the company was told and has not answered."""
    rita = cast["rita"]
    row = drive(row, "review", partner=cast["alice"], reviewer=rita, now=now)
    review_claims.claim_review(row, actor=rita, now=now)
    reviewing.raise_finding(row, FORM, f"Explain {CANARY}.", actor=rita, now=now)
    perform_transition(row, "request_changes", actor=rita, note=CANARY, now=now)
    return Integration.objects.get(pk=row.pk)


def left_as_it_is(row: Any, cast: Any, now: Any) -> int:
    """The portal suggested a notice and rita gave none: the event that keeps the evidence she had."""
    request = {"request": "sla_breaches", "params": {"count": 2, "days": 90}, "reason": f"2 breaches {CANARY}"}
    perform_transition(row, "suggest_notice", actor=None, now=now, **request)
    return int(perform_transition(row, "dismiss_request", actor=cast["rita"], note=CANARY, now=now).seq)


def talk(row: Any, cast: Any, now: Any) -> dict[str, Any]:
    """What both sides wrote: a finding that the company was told and one that it was not, messages, a note."""
    rita, alice = cast["rita"], cast["alice"]
    reviewing.post_message(row, f"From us: {CANARY}", actor=alice, now=now)
    reviewing.post_message(row, f"Note: {CANARY}", actor=rita, now=now, is_internal=True)
    untold = reviewing.raise_finding(row, FORM, f"Show {CANARY}.", actor=rita, now=now)
    start = drafts.create_draft(row.partner, "vault", actor=alice, now=now)
    draft_fields = {"name": f"Draft {CANARY}", "repository_address": "acme/vault-plugin-x"}
    return {"finding": untold, "draft": drafts.save_draft(start, draft_fields, version=0, actor=alice, now=now)}


def schema_of(row: Any) -> bytes:
    """What Terraform prints of the provider of this integration: one resource."""
    name = get_product_name(row.repository)
    block = {"attributes": {"id": {"type": "string", "computed": True, "description": CANARY}}}
    resources = {"resource_schemas": {f"{name}_pad": {"version": 0, "block": block}}}
    schema = {"format_version": "1.0", "provider_schemas": {f"registry.terraform.io/acme/{name}": resources}}
    return json.dumps(schema).encode()


def create_submissions(row: Any, cast: Any, now: Any) -> dict[str, Any]:
    """What was handed in: a document, an agreed meeting, an account."""
    alice, rita = cast["alice"], cast["rita"]
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
    for version in ("1.4.0", "1.5.0"):
        stored.store_schema(row, parse_version(version), schema_of(row), actor=alice, now=now)
    mail = EmailMessage.objects.filter(person=alice, name="meeting_agreed").first()
    return {"document": document, "meeting": meeting, "account": account, "mail": mail}


def kwargs_of(name: str, world: dict[str, Any]) -> dict[str, Any]:
    """The parts of an address, each naming something of Acme's."""
    row = world["integration"]
    special: dict[str, dict[str, Any]] = {
        "partners:change_invitation": {"pk": world["invitation"].pk},
        "partners:accept_invitation": {"pk": world["invitation"].pk},
        "partners:decide_join_request": {"pk": world["join"].pk},
        "partners:change_member": {"pk": world["member"].pk},
        "submissions:introduction": {"pk": world["introduction"].pk},
        "submissions:document": {"uuid": world["document"].uuid},
        "submissions:meeting_ics": {"uuid": world["meeting"].uuid},
        "directory:listing": {"uuid": world["listed"].uuid},
        "directory:logo": {"uuid": world["listed"].uuid},
        "directory:reply": {"uuid": world["listed"].uuid},
        **{f"directory:badge{form}": {"uuid": world["listed"].uuid, "kid": "x"} for form in BADGES},
        **{f"reviews:{act}_finding": {"pk": world["told_finding"].pk} for act in ("answer", "verify", "reopen")},
        **{f"testruns:nomad_plugin{form}": {"uuid": world["driver"].uuid} for form in ("", "_json")},
        **{
            name: {"uuid": world["task"].uuid}
            for name in ("testruns:run_task", "testruns:run_task_json", "testruns:cancel_run_task")
        },
        "inbox:email": {"uuid": world["mail"].uuid},
        "analytics:change_view": {"pk": world["view"].pk},
        "analytics:save_view": {"page": "queue"},
        **{f"analytics:table_{form}": {"table": "queue"} for form in ("csv", "xlsx")},
        **{f"sla:{name}": {"uuid": world["issue"].uuid} for name in ISSUE_PAGES},
        **{f"compliance:{form}": {"uuid": world["listed"].uuid, "seq": world["left"]} for form in EVIDENCE},
        "accounts:enrollment": {"uidb36": "1", "key": "used-before"},
        "api:revoke_token": {"uuid": world["api_token"].uuid},
        **{
            f"webhooks:{act}": {"uuid": world["endpoint"].uuid, "message": world["message"].uuid, "act": "pause"}
            for act in ("detail", "edit", "rotate_secret", "remove", "delivery", "action")
        },
        "inbox:calendar_feed": {"token": world["calendar"]},
        "inbox:stop": {"token": stopping.build_url(world["cast"]["alice"], "messages").rsplit("/", 2)[-2]},
        "submissions:prefill_draft": {"uuid": world["draft"].uuid},
        "submissions:confirm_draft": {"uuid": world["draft"].uuid},
        **{name: {"key": "repository.owner"} for name in ("checks:check_help", "checks:accept_finding")},
        "reports:stop": {
            "token": unsubscribe.build_unsubscribe_url(world["cast"]["alice"], world["report"]).rsplit("/", 2)[-2]
        },
    }
    common = {
        "uuid": world["draft"].uuid if "draft" in name and "requirement" not in name else row.uuid,
        "slug": row.partner.slug,
        "pk": world["finding"].pk,
        "token": world["token"],
        "key": "nomad",
        "program": "nomad",
        "requirement_id": FORM,
        "step": "approve",
        "scope": world["report"],
        "week": "2026-W16",
    }
    return common | special.get(name, {})


def address(name: str, world: dict[str, Any], **parts: Any) -> str:
    """The address of a page by its name; `parts` in the place of the usual ones."""
    url_pattern = patterns_by_name()[name]
    path_values = kwargs_of(name, world) | parts
    return reverse(name, kwargs={key: path_values[key] for key in url_pattern.pattern.converters})


def list_button_requests(world: dict[str, Any]) -> dict[str, tuple[str, dict[str, Any]]]:
    """What people really press, by "page: what": the address and what is sent."""
    requests_by_label = {}
    for label, parts, fields in [*of_steps(world), *of_requirements(world), *of_pages(world)]:
        requests_by_label[label] = (address(label.partition(": ")[0], world, **parts), fields)
    return requests_by_label


def of_steps(world: dict[str, Any]) -> Iterator[Press]:
    """(label, parts of the address, what is sent) of steps."""
    row = world["integration"]
    for name in ("approve", "request_changes", "decline", "put_on_hold", "withdraw", "complete_step", "publish"):
        yield (
            f"reviews:transition: {name}",
            {"step": name},
            {"note": "Because.", "version": row.version, "waits_for": "partner"},
        )
    for name, there in (
        ("resubmit_for_review", world["told"]),
        ("archive", world["listed"]),
        ("issue_notice", world["listed"]),
        ("downgrade_to_community", world["listed"]),
        ("appeal", world["listed"]),
        ("suggest_notice", world["listed"]),
    ):
        yield (
            f"reviews:transition: {name}",
            {"step": name, "uuid": there.uuid},
            {"note": "Because.", "version": there.version},
        )


def of_requirements(world: dict[str, Any]) -> Iterator[Press]:
    time = (timezone.now() + timedelta(days=9)).strftime("%Y-%m-%dT%H:%M")
    until = (timezone.now() + timedelta(days=30)).strftime("%Y-%m-%d")
    account, document = world["account"].uuid, world["document"].uuid
    for act, there, fields in (
        ("answer", FORM, {"tests": "make", "documentation": "https://x.example", "answered": 2}),
        ("confirm", ATTESTED_REQUIREMENT, {"confirmed": "on"}),
        ("upload", LOGS, {"file": "a.txt"}),
        ("remove", LOGS, {"uuid": document}),
        ("sign", AGREEMENT_REQUIREMENT, {"version": "1", "signer": "A", "signed_on": "2026-01-02"}),
        ("propose", MEETING, {"time_1": time, "minutes": 45}),
        ("cancel", MEETING, {"reason": "Ill."}),
        ("give", ACCOUNTS, {"uuid": str(uuid4()), "label": "Tenant", "secret": "x"}),
        ("withdraw", ACCOUNTS, {"uuid": account}),
        ("reveal", ACCOUNTS, {"uuid": account, "reason": "Test."}),
        ("waive", FORM, {"reason": "Fine.", "until": until}),
    ):
        yield f"submissions:requirement: {act}", {"requirement_id": there}, {"act": act, **fields}


def of_pages(world: dict[str, Any]) -> Iterator[Press]:
    facts = {"name": "New name", "description": "Other.", "category": "ci-cd", "offerings": ["Open Source"]}
    yield (
        "submissions:edit: a name",
        {},
        facts | {"repository_address": world["integration"].repository, "homepage": ""},
    )
    yield "reviews:assign_reviewer: to rob", {}, {"reviewer": world["rob"].pk}
    yield "partners:invite: a viewer", {}, {"email": "v@acme.example", "role": "viewer"}
    yield "partners:change_invitation: revoke", {}, {"do": "revoke"}
    yield "partners:decide_join_request: accept", {}, {"do": "accept", "role": "viewer"}
    yield "partners:change_member: role", {}, {"do": "role", "role": "viewer"}
    yield "partners:change_member: end", {}, {"do": "end"}
    yield "submissions:save_draft: a name", {}, {"name": "Other", "version": world["draft"].version}
    yield "reviews:raise_finding: on a form", {}, {"requirement": FORM, "text": "More tests."}
    yield "reviews:answer_finding: an answer", {}, {"answer": "Done."}
    yield "reviews:answer_finding: not told yet", {"pk": world["finding"].pk}, {"answer": "Done."}
    yield "sla:label_policy: a proposal", {}, {"critical": "p0"}
    yield "sla:calendar: a look", {}, {"zone": "UTC", "workdays": [0, 1, 2, 3, 4]}
    yield "sla:calendar: another", {}, {"zone": "UTC", "workdays": [0, 1, 2, 3], "confirm": "1"}
    for act in ("lower_severity", "exclude_issue", "request_lower_severity", "dispute_breach", "dismiss_dispute"):
        yield f"sla:{act}: a reason", {}, {"reason": "It is a question."}
    yield "webhooks:action: skip", {"act": "skip"}, {}
    yield "webhooks:rotate_secret: another", {}, {"seen": services.get_secret_fingerprint(world["endpoint"])}
    yield "submissions:introduction: agree", {}, {"answer": "agree"}
    yield "reviews:migrate_edition: nowhere", {}, {"to": "2000-01", "move": "1"}
    yield "reviews:partner: manager", {}, {"manager": world["rob"].pk}
    yield "directory:reply: a text", {}, {"text": "We are on it."}
    yield "analytics:change_view: delete", {}, {"act": "delete"}
    yield "reviews:post_message: a message", {}, {"body": "Hello."}
    yield "reviews:post_message: a note", {}, {"body": "Hello.", "internal": "on"}
