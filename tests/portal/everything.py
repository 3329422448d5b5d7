"""What can be reached at all? A world with one of everything, and every address of ours into it.

Every private text of Acme holds the canary. The moments are relative to today, as the pages' clock is.
"""

import json
from collections.abc import Iterator
from datetime import timedelta
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
from integrations.submissions.services.transitions import perform
from portal.analytics.saved_views import services as saved
from portal.api.services import tokens
from portal.core import crypto, iso_weeks
from portal.core.repository_urls import product_of
from portal.core.uploads import examine
from portal.notifications import calendar_feed
from portal.notifications import unsubscribe as stopping
from portal.notifications.models import Email
from portal.reports import scopes, tasks, unsubscribe
from portal.webhooks import services
from portal.webhooks.services import Wanted
from tests.conftest import begin, drive
from tests.integrations.sla.pages.issues import opened
from verification.checks.models import CheckReport
from verification.schemas import services as stored
from verification.terraform.versions import parse
from verification.testruns.kinds.nomad_plugin.records import Seen as Plugin
from verification.testruns.kinds.provider_lifecycle.records import Seen as Lifecycle
from verification.testruns.models import LifecycleRehearsal, NomadRehearsal, RunTaskRehearsal

Press = tuple[str, dict[str, Any], dict[str, Any]]
CANARY = "canary-7f3a"
OURS = ("portal.", "integrations.", "verification.")
ROLES = ("anonymous", "alice", "bob", "vera", "charlie", "rita", "rob", "sam")
ISSUE_PAGES = ("", "_lower", "_let_off", "_ask", "_dispute", "_dismiss")
EVIDENCE = ("", "_json", "_frozen", "_frozen_json")
BADGES = ("", "_svg", "_json", "_shields", "_statement", "_statement_compact", "_key")
LOGS, MEETING, ACCOUNTS, FORM, ATTESTED, AGREED = "NO-7-LOGS", "NO-7", "NO-6", "NO-3", "NO-5", "NO-8"


def patterns(found: Any = None) -> Iterator[URLPattern]:
    """Every address of ours, in order; libraries' own pages (sign-in, admin) and the API, which has a table, apart."""
    for pattern in get_resolver().url_patterns if found is None else found:
        if isinstance(pattern, URLResolver):
            yield from patterns(pattern.url_patterns) if pattern.namespace not in ("api", "admin") else ()
        elif pattern.callback.__module__.startswith(OURS):
            yield pattern


def names() -> set[str]:
    return {str(pattern.name) for pattern in patterns()}


def build(acme: Any, globex: Any, cast: Any) -> dict[str, Any]:
    """Acme's integration in review with one of everything; Globex works on the same and is told no more."""
    alice, charlie, rita = cast["alice"], cast["charlie"], cast["rita"]
    now = timezone.now() - timedelta(days=1)
    row = begin(acme, alice, name=f"Rocket {CANARY}", description=CANARY, now=now)
    row = drive(row, "review", partner=alice, reviewer=rita, now=now)
    review_claims.claim(row, by=rita, now=timezone.now())
    booster = begin(acme, alice, name="Booster", repository="acme/booster", repository_id=1, now=now)
    lander = begin(acme, alice, name="Lander", repository="acme/lander", repository_id=2, now=now)
    listed, told = drive(booster, "support", partner=alice, reviewer=rita, now=now), changes_asked(lander, cast, now)
    left = left_as_it_is(listed, cast, now)
    other = begin(globex, charlie, name="Rocket", repository="globex/rocket", repository_id=3, now=now)
    driver = begin(acme, alice, name="Driver", category="container-runtime", repository_id=4, now=now)
    task = begin(acme, alice, program="terraform-run-task", repository="", name="Preflight", now=now)
    asked = introductions.ask(other, row, "We build a rocket too.", by=charlie, now=now)
    invitation = invitations.send(acme, "charlie@globex.example", "viewer", by=alice, now=now)
    texts = {**talk(row, cast, now), **handed(row, cast, now)}
    row = Integration.objects.get(pk=row.pk)
    return {
        "partner": acme, "integration": row, "rob": cast["rob"], "cast": cast, "report": reported_week(acme, now),
        **subscribed(acme, alice, now),
        "listed": Integration.objects.get(pk=listed.pk), "left": left, "other": other, "told": told, "driver": driver,
        "task": task, "rehearsed": rehearsed(row, task, driver, alice, now),
        "api_token": tokens.make(f"ci {CANARY}", ["integrations:read"], 30, by=alice, now=now, partner=acme)[0],
        "issue": opened(listed, f"Booster {CANARY} fails", now + timedelta(hours=1), labels=("critical",)),
        "introduction": asked, "view": saved.save(alice, "integrations", CANARY, "stage=review", shared=False, now=now),
        "invitation": invitation, "token": members.invite(acme, "new@acme.example", "editor", by=alice, now=now)[1],
        "join": members.ask_to_join(acme, message="Hello.", by=charlie, now=now),
        "member": acme.memberships.get(user=cast["bob"]), **texts,
        "reported": CheckReport.objects.create(
            integration=row, reported_by=f"ci {CANARY}", commit="9f3c1e0", outcome="pass", at=now,
        ),
    }  # fmt: skip


def subscribed(acme: Any, alice: Any, now: Any) -> dict[str, Any]:
    """A webhook with a message, and the address of a calendar."""
    wanted = Wanted(f"Build {CANARY}", ["integration.listed"], address=f"https://hooks.acme.com/{CANARY}")
    endpoint, _ = services.add(acme, wanted, by=alice, now=now)
    told = services.send_test(endpoint, by=alice, now=now)
    calendar = calendar_feed.make(alice, now).rsplit("/", 1)[-1].removesuffix(".ics")
    return {"endpoint": endpoint, "message": told, "calendar": calendar}


def rehearsed(row: Any, task: Any, driver: Any, alice: Any, now: Any) -> dict[str, int]:
    """A rehearsal of each kind that has ended, by the operation that reads it."""
    ended = {"requested_by": alice, "requested_at": now, "due_at": now, "finished_at": now, "outcome": "error"}
    claims = {"type": "driver", "name": CANARY, "version": "1.4.0"}
    url = f"https://tasks.acme.com/{CANARY}"
    return {
        "get_rehearsal": RunTaskRehearsal.objects.create(integration=task, url=url, signed=False, **ended).pk,
        "get_lifecycle": LifecycleRehearsal.objects.create(
            integration=row, version="1.4.0", base=CANARY, changed=CANARY,
            seen=Lifecycle(broken=CANARY, over=True).as_dict(), **ended,
        ).pk,
        "get_nomad_rehearsal": NomadRehearsal.objects.create(
            integration=driver, type="driver", version="1.4.0", config=CANARY,
            seen=Plugin(claims, broken=CANARY, over=True).as_dict(), **ended,
        ).pk,
    }  # fmt: skip


def reported_week(acme: Any, now: Any) -> str:
    """The scope of a frozen report about Acme."""
    found = scopes.reported(scopes.partner_key(acme))
    tasks.snapshot_of(found, iso_weeks.parse("2026-W16"), now)
    return str(found.key)


def changes_asked(row: Any, cast: Any, now: Any) -> Any:
    """In review with a finding that the company was told and has not answered."""
    rita = cast["rita"]
    row = drive(row, "review", partner=cast["alice"], reviewer=rita, now=now)
    review_claims.claim(row, by=rita, now=now)
    reviewing.raise_finding(row, FORM, f"Explain {CANARY}.", by=rita, now=now)
    perform(row, "request_changes", by=rita, note=CANARY, now=now)
    return Integration.objects.get(pk=row.pk)


def left_as_it_is(row: Any, cast: Any, now: Any) -> int:
    """The portal suggested a notice and rita gave none: the event that keeps the evidence she had."""
    perform(row, "suggest_notice", by=None, now=now, why=f"2 breaches {CANARY}")
    return int(perform(row, "set_aside", by=cast["rita"], note=CANARY, now=now).seq)


def talk(row: Any, cast: Any, now: Any) -> dict[str, Any]:
    """What both sides wrote: a finding that the company was told and one that it was not, messages, a note."""
    rita, alice = cast["rita"], cast["alice"]
    reviewing.say(row, f"From us: {CANARY}", by=alice, now=now)
    reviewing.say(row, f"Note: {CANARY}", by=rita, now=now, internal=True)
    untold = reviewing.raise_finding(row, FORM, f"Show {CANARY}.", by=rita, now=now)
    start = drafts.open_start(row.partner, "vault", by=alice, now=now)
    kept = {"name": f"Draft {CANARY}", "repository_address": "acme/vault-plugin-x"}
    return {"finding": untold, "draft": drafts.save(start, kept, version=0, by=alice, now=now)}


def schema_of(row: Any) -> bytes:
    """What Terraform prints of the provider of this integration: one resource."""
    name = product_of(row.repository)
    block = {"attributes": {"id": {"type": "string", "computed": True, "description": CANARY}}}
    resources = {"resource_schemas": {f"{name}_pad": {"version": 0, "block": block}}}
    told = {"format_version": "1.0", "provider_schemas": {f"registry.terraform.io/acme/{name}": resources}}
    return json.dumps(told).encode()


def handed(row: Any, cast: Any, now: Any) -> dict[str, Any]:
    """What was handed in: a document, an agreed meeting, an account."""
    alice, rita = cast["alice"], cast["rita"]
    file = SimpleUploadedFile(f"{CANARY}.txt", CANARY.encode())
    document = documents.upload(row, LOGS, examine(file, ("txt",)), by=alice, now=now)
    times = (now + timedelta(days=5), now + timedelta(days=6))
    proposal = meetings.Proposal(times, f"https://{CANARY}.example", 45)
    meeting = meetings.propose(row, MEETING, proposal, by=alice, now=now)
    meeting = meetings.accept(meeting, meetings.times_of(meeting)[0], by=rita, now=now)
    account = credentials.give(
        row, ACCOUNTS, CANARY, crypto.Secret(f"password {CANARY}"), permanent=False, by=alice, now=now, uuid=uuid4()
    )  # fmt: skip
    requirements.answer(row, FORM, {"tests": CANARY}, by=alice, now=now)
    for version in ("1.4.0", "1.5.0"):
        stored.store(row, parse(version), schema_of(row), by=alice, now=now)
    mail = Email.objects.filter(person=alice, name="meeting_agreed").first()
    return {"document": document, "meeting": meeting, "account": account, "mail": mail}


def kwargs_of(name: str, world: dict[str, Any]) -> dict[str, Any]:
    """The parts of an address, each naming something of Acme's."""
    row = world["integration"]
    special: dict[str, dict[str, Any]] = {
        "company_invitation": {"pk": world["invitation"].pk},
        "company_invited": {"pk": world["invitation"].pk},
        "company_request": {"pk": world["join"].pk},
        "company_member": {"pk": world["member"].pk},
        "introduction": {"pk": world["introduction"].pk},
        "document": {"uuid": world["document"].uuid},
        "meeting_ics": {"uuid": world["meeting"].uuid},
        "listing": {"uuid": world["listed"].uuid},
        "listing_logo": {"uuid": world["listed"].uuid},
        "listing_reply": {"uuid": world["listed"].uuid},
        **{f"badge{form}": {"uuid": world["listed"].uuid, "kid": "x"} for form in BADGES},
        **{f"finding_{act}": {"pk": world["told"].findings.get().pk} for act in ("fix", "verify", "reopen")},
        **{f"nomad_rehearsal{form}": {"uuid": world["driver"].uuid} for form in ("", "_json")},
        **{name: {"uuid": world["task"].uuid} for name in ("rehearsal", "rehearsal_json", "rehearsal_stop")},
        "mail": {"uuid": world["mail"].uuid},
        "view_change": {"pk": world["view"].pk},
        "view_save": {"page": "queue"},
        **{f"table_{form}": {"table": "queue"} for form in ("csv", "xlsx")},
        **{f"issue{act}": {"uuid": world["issue"].uuid} for act in ISSUE_PAGES},
        **{f"standing{form}": {"uuid": world["listed"].uuid, "seq": world["left"]} for form in EVIDENCE},
        "enrollment": {"uidb36": "1", "key": "used-before"},
        "token_revoke": {"uuid": world["api_token"].uuid},
        **{
            f"webhook{act}": {"uuid": world["endpoint"].uuid, "message": world["message"].uuid, "act": "pause"}
            for act in ("", "_change", "_secret", "_end", "_message", "_act")
        },
        "calendar_feed": {"token": world["calendar"]},
        "notices_stop": {"token": stopping.address(world["cast"]["alice"], "messages").rsplit("/", 2)[-2]},
        "prefill": {"uuid": world["draft"].uuid},
        "confirm_start": {"uuid": world["draft"].uuid},
        **{name: {"key": "repository.owner"} for name in ("check_help", "accept_finding")},
        "report_stop": {"token": unsubscribe.address(world["cast"]["alice"], world["report"]).rsplit("/", 2)[-2]},
    }
    common = {
        "uuid": world["draft"].uuid if name.startswith("draft") else row.uuid, "slug": row.partner.slug,
        "pk": world["finding"].pk, "token": world["token"], "key": "nomad", "program": "nomad",
        "requirement_id": FORM, "step": "approve", "scope": world["report"], "week": "2026-W16",
    }  # fmt: skip
    return common | special.get(name, {})


def address(name: str, world: dict[str, Any], **parts: Any) -> str:
    """The address of a page by its name; `parts` in the place of the usual ones."""
    taken = next(p for p in patterns() if p.name == name and (name != "company" or p.pattern.converters))
    known = kwargs_of(name, world) | parts
    return reverse(name, kwargs={key: known[key] for key in taken.pattern.converters})


def pressed(world: dict[str, Any]) -> dict[str, tuple[str, dict[str, Any]]]:
    """What people really press, by "page: what": the address and what is sent."""
    found = {}
    for label, parts, fields in [*of_steps(world), *of_requirements(world), *of_pages(world)]:
        found[label] = (address(label.partition(":")[0], world, **parts), fields)
    return found


def of_steps(world: dict[str, Any]) -> Iterator[Press]:
    """(label, parts of the address, what is sent) of steps."""
    row = world["integration"]
    for name in ("approve", "request_changes", "decline", "put_on_hold", "withdraw", "advance", "release"):
        yield f"step: {name}", {"step": name}, {"note": "Because.", "version": row.version, "waits_for": "partner"}
    for name, there in (
        ("request_again", world["told"]), ("archive", world["listed"]), ("give_notice", world["listed"]),
        ("step_down", world["listed"]), ("appeal", world["listed"]), ("suggest_notice", world["listed"]),
    ):  # fmt: skip
        yield f"step: {name}", {"step": name, "uuid": there.uuid}, {"note": "Because.", "version": there.version}


def of_requirements(world: dict[str, Any]) -> Iterator[Press]:
    time = (timezone.now() + timedelta(days=9)).strftime("%Y-%m-%dT%H:%M")
    until = (timezone.now() + timedelta(days=30)).strftime("%Y-%m-%d")
    account, document = world["account"].uuid, world["document"].uuid
    for act, there, fields in (
        ("answer", FORM, {"tests": "make", "documentation": "https://x.example", "answered": 2}),
        ("confirm", ATTESTED, {"confirmed": "on"}),
        ("upload", LOGS, {"file": "a.txt"}),
        ("remove", LOGS, {"uuid": document}),
        ("sign", AGREED, {"version": "1", "signer": "A", "signed_on": "2026-01-02"}),
        ("propose", MEETING, {"time_1": time, "minutes": 45}),
        ("cancel", MEETING, {"reason": "Ill."}),
        ("give", ACCOUNTS, {"uuid": str(uuid4()), "label": "Tenant", "secret": "x"}),
        ("withdraw", ACCOUNTS, {"uuid": account}),
        ("reveal", ACCOUNTS, {"uuid": account, "reason": "Test."}),
        ("waive", FORM, {"reason": "Fine.", "until": until}),
    ):
        yield f"requirement: {act}", {"requirement_id": there}, {"act": act, **fields}


def of_pages(world: dict[str, Any]) -> Iterator[Press]:
    facts = {"name": "New name", "description": "Other.", "category": "ci-cd", "offerings": ["Open Source"]}
    yield "edit_facts: a name", {}, facts | {"repository_address": world["integration"].repository, "homepage": ""}
    yield "assign: to rob", {}, {"reviewer": world["rob"].pk}
    yield "company_invite: a viewer", {}, {"email": "v@acme.example", "role": "viewer"}
    yield "company_invitation: revoke", {}, {"do": "revoke"}
    yield "company_request: accept", {}, {"do": "accept", "role": "viewer"}
    yield "company_member: role", {}, {"do": "role", "role": "viewer"}
    yield "company_member: end", {}, {"do": "end"}
    yield "draft_save: a name", {}, {"name": "Other", "version": world["draft"].version}
    yield "finding_new: on a form", {}, {"requirement": FORM, "text": "More tests."}
    yield "finding_fix: an answer", {}, {"answer": "Done."}
    yield "finding_fix: not told yet", {"pk": world["finding"].pk}, {"answer": "Done."}
    yield "labels: a proposal", {}, {"critical": "p0"}
    yield "company_calendar: a look", {}, {"zone": "UTC", "workdays": [0, 1, 2, 3, 4]}
    yield "company_calendar: another", {}, {"zone": "UTC", "workdays": [0, 1, 2, 3], "confirm": "1"}
    for act in ("lower", "let_off", "ask", "dispute", "dismiss"):
        yield f"issue_{act}: a reason", {}, {"reason": "It is a question."}
    yield "webhook_act: skip", {"act": "skip"}, {}
    yield "webhook_secret: another", {}, {"seen": services.state_of(world["endpoint"])}
    yield "introduction: agree", {}, {"answer": "agree"}
    yield "move_edition: nowhere", {}, {"to": "2000-01", "move": "1"}
    yield "partner: manager", {}, {"manager": world["rob"].pk}
    yield "listing_reply: a text", {}, {"text": "We are on it."}
    yield "view_change: delete", {}, {"act": "delete"}
    yield "say: a message", {}, {"body": "Hello."}
    yield "say: a note", {}, {"body": "Hello.", "internal": "on"}
