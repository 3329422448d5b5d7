"""A world of any size with one of everything: copies of a few real integrations, written by the database.

A copy shifts the IDs of a row and of everything that belongs to it by a multiple of STRIDE. Companies differ in size:
one integration in twenty belongs to Acme, and a few other companies have most of the rest.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.db import connection, models
from django.utils import timezone

from integrations.partners.models import Membership, Partner, PartnerVerification
from integrations.sla.models import MonitoredRepository, SlaBreach, SlaClock, SupportIssue, SupportIssueEvent
from integrations.submissions.models import Finding, Integration, RequirementFulfillment, ReviewMessage
from portal.accounts.models import User
from portal.analytics import services as analytics
from portal.analytics.models import StageDuration
from portal.audit.models import AuditEvent
from portal.directory.models import Listing, ListingChange
from portal.notifications.models import EmailMessage
from tests.conftest import advance_to_stage, create_integration
from tests.integrations.sla.pages.issues import ANSWER, create_issue
from tests.portal import conftest as portal_world
from verification.checks.models import CheckResult, Observation

World = dict[str, Any]
STRIDE = 100_000  # more than the rows of any table before the first copy
HISTORY_IDS = STRIDE * STRIDE * 10  # above those of any copy
PER_COMPANY = 20  # integrations of a company on average
ACME_EVERY = 20  # a share of five percent
REVIEWER_EVERY = 5  # one integration in so many is assigned to Rita
LIST_ROWS = 60  # more than a page of any list
MAX_HISTORY = 2_000  # further events of the integration whose pages are visited
PROGRAMS = ("terraform-provider", "vault", "consul", "nomad", "terraform-provider")  # of further listings
COPIED_WITH_INTEGRATION: tuple[type[models.Model], ...] = (
    Integration,
    RequirementFulfillment,
    Finding,
    ReviewMessage,
    CheckResult,
    Observation,
    StageDuration,
    MonitoredRepository,
    SupportIssue,
    SupportIssueEvent,
    SlaClock,
    SlaBreach,
    Listing,
    ListingChange,
    AuditEvent,
)
COPIED_WITH_COMPANY: tuple[type[models.Model], ...] = (Partner, User, Membership, PartnerVerification)
MOMENTS = {Integration: ("action_due_at",), SlaClock: ("due_at", "warn75_at", "next_at"), Listing: ("listed_at",)}
SERIES = "WITH RECURSIVE series(g) AS (SELECT {} UNION ALL SELECT g + 1 FROM series WHERE g < {})"
UNIFORM = "((g * 7919) % 9973 / 9973.0)"  # between 0 and 1, the same for a number in each run


def build() -> World:
    """Create one of everything, and listings of several programs with open and settled issues."""
    world = portal_world.create_world()
    users = world["users"]
    now = timezone.now() - timedelta(days=40)
    rows = [world["listed"]]
    for number, program in enumerate(PROGRAMS):
        facts = {"name": f"Tower {number}", "repository": f"acme/{program}-tower{number}", "repository_id": 90 + number}
        row = create_integration(world["partner"], users["alice"], program, now=now, **facts)
        rows.append(advance_to_stage(row, "support", partner=users["alice"], reviewer=users["rita"], now=now))
    for row in rows:
        create_issue(row, "It fails at night", timezone.now() - timedelta(hours=2), labels=("critical",))
        for days in (9, 16, 30):
            at = timezone.now() - timedelta(days=days)
            create_issue(row, "It failed once", at, (2, "answers", ANSWER), (30, "closes", ""), now=timezone.now())
    analytics.rebuild()
    return world


def fill_lists(world: World) -> None:
    """Give the lists of a page more than a page of rows, as in any portal in use.

    Otherwise, a list that is nearly empty at the smallest size seems to grow, although only its page gets longer.
    """
    fill(world, LIST_ROWS, acme_every=1)
    message = ReviewMessage.objects.filter(integration=world["integration"], internal=False)[0]
    with _accept_many_rows():
        _copy_companies(world, LIST_ROWS)
        _add_history(world, LIST_ROWS, LIST_ROWS)
        changes = {"id": f"id + {HISTORY_IDS} + g"}
        _copy(ReviewMessage, changes, f"id = {message.pk}", range(LIST_ROWS), set())
        for name in ("reviewer_id", "claim_expires_at"):
            changes[name] = f"CASE WHEN g % {REVIEWER_EVERY} = 0 THEN {name} END"
        _copy(Integration, changes, f"id = {world['integration'].pk}", range(LIST_ROWS), set())


def fill(world: World, size: int, acme_every: int = ACME_EVERY) -> None:
    """Copy until there are about `size` integrations. One copy in `acme_every` belongs to Acme."""
    count = Integration.objects.filter(pk__lt=STRIDE).count()
    first = Integration.objects.filter(pk__lt=HISTORY_IDS).count() // count
    last = size // count
    with _accept_many_rows():
        _copy_companies(world, max(1, size // PER_COMPANY))
        for model in COPIED_WITH_INTEGRATION if last > first else ():
            _copy_with_integration(model, world, range(first, last), acme_every)
        if last > first:
            _add_history(world, min(size // 10, MAX_HISTORY), last - 1)


@contextmanager
def _accept_many_rows() -> Iterator[None]:
    """Let the database accept many rows quickly, and update its statistics afterward."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET session_replication_role = replica")  # no check of each reference
            cursor.execute("SET statement_timeout = 0")
        yield
        if connection.vendor == "postgresql":
            cursor.execute("RESET session_replication_role")
            cursor.execute("RESET statement_timeout")
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")


def _copy_companies(world: World, count: int) -> None:
    """Copy Acme and its owner until there are `count` copies, each with its own name."""
    partner = world["partner"].pk
    owner = world["users"]["alice"].pk
    numbers = range(Partner.objects.filter(pk__gte=STRIDE).count() + 1, count + 1)
    for model in COPIED_WITH_COMPANY:
        key = {Partner: f"id = {partner}", User: f"id = {owner}"}.get(model, f"partner_id = {partner}")
        texts = {name: f"{name} || '-' || g" for name in ("name", "skeleton", "name_key", "slug", "domain")}
        changes = {name: text for name, text in texts.items() if model is Partner} | {
            "email": "'owner' || g || '@company.example'"
        }
        limit = f" AND user_id = {owner}" if model is Membership else ""
        _copy(model, changes, f"{key}{limit}", numbers, {Partner, User})


def _copy_with_integration(model: type[models.Model], world: World, numbers: range, acme_every: int) -> None:
    """Copy all rows that belong to an integration."""
    acme = world["partner"].pk
    rita = world["users"]["rita"].pk
    companies = Partner.objects.filter(pk__gte=STRIDE).count()
    place = f"CAST({UNIFORM} * {UNIFORM} * {companies - 1} AS integer) + 1"
    partner = f"CASE WHEN g % {acme_every} = 0 THEN {acme} ELSE {acme} + {STRIDE} * ({place}) END"
    has_integration = f"(SELECT {{}} FROM partners_partner WHERE id = {partner})"
    key = "id" if model is Integration else "integration_id"
    changes = {
        "partner_id": partner,
        "reviewer_id": f"CASE WHEN g % {REVIEWER_EVERY} = 0 AND reviewer_id IS NOT NULL THEN {rita} END",
        "claim_expires_at": f"CASE WHEN g % {REVIEWER_EVERY} = 0 THEN claim_expires_at END",
        "stream": f"'integration:' || (integration_id + {STRIDE} * g)",
        "publisher": has_integration.format("name"),
        "publisher_slug": has_integration.format("slug"),
    }
    if model in (Integration, Listing):
        changes |= {name: f"{name} || ' ' || g" for name in ("name", "name_key", "name_plain")}
    if model is Listing:
        changes["uuid"] = f"(SELECT uuid FROM submissions_integration i WHERE i.id = integration_id + {STRIDE} * g)"
    where = f"{key} < {STRIDE}" if key in {field.column for field in model._meta.concrete_fields} else f"id < {STRIDE}"
    if model is AuditEvent:
        where += f" AND id < {STRIDE} AND stream LIKE 'integration:%'"
    _copy(model, changes, where, numbers, set(COPIED_WITH_INTEGRATION))


def _copy(
    model: type[models.Model], changes: dict[str, str], where: str, numbers: range, shifted: set[type[models.Model]]
) -> None:
    """Insert a copy of each row for each number g: IDs of `shifted` models differ by STRIDE * g."""
    if not numbers:
        return
    values = {}
    for field in model._meta.concrete_fields:
        column = str(field.column)
        values[column] = f'"{column}"'
        if column in changes:
            values[column] = changes[column]
        elif isinstance(field, models.UUIDField):
            values[column] = "gen_random_uuid()" if connection.vendor == "postgresql" else "lower(hex(randomblob(16)))"
        elif (field.primary_key and not field.related_model) or field.related_model in shifted:
            values[column] = f'"{column}" + {STRIDE} * g'
        elif column in MOMENTS.get(model, ()) and connection.vendor == "postgresql":
            values[column] = f"\"{column}\" + (g % 997) * interval '1 minute'"
    columns = ", ".join(f'"{column}"' for column in values)
    _execute(
        f'INSERT INTO "{model._meta.db_table}" ({columns}) {SERIES.format(numbers.start, numbers.stop - 1)}'
        f' SELECT {", ".join(values.values())} FROM "{model._meta.db_table}", series WHERE {where}'
    )


def _add_history(world: World, count: int, email_count: int) -> None:
    """Give the integration whose pages are visited `count` events, and Alice copies of an email."""
    events = AuditEvent.objects.filter(integration=world["integration"])
    last = events.order_by("-seq")[0]
    present = events.count()
    columns = [str(field.column) for field in AuditEvent._meta.concrete_fields]
    values = {"id": f"id + {HISTORY_IDS} + g", "seq": "seq + g"}
    if count > present:
        _execute(
            f"INSERT INTO audit_auditevent ({', '.join(columns)}) {SERIES.format(present, count)}"
            f" SELECT {', '.join(values.get(column, column) for column in columns)} FROM audit_auditevent, series"
            f" WHERE id = {last.pk}"
        )
    numbers = range(EmailMessage.objects.filter(pk__gte=STRIDE).count() + 1, email_count + 1)
    _copy(EmailMessage, {"key": "key || g"}, f"id = {world['mail'].pk}", numbers, set())


def _execute(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)
