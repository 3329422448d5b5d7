"""Which of the program's working lists can be taken as a file? Failing checks, waivers, mail, companies."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from integrations.programs.registry import PROGRAMS
from integrations.reviews.views.partners import found as companies_found
from portal.analytics.filters import chosen, for_program
from portal.analytics.selectors import workload
from portal.core.exports import Cell, Table
from portal.core.text_fields import searched
from portal.notifications.views import email_log

Rows = Iterator[tuple[Cell, ...]]
MOST = 50_000  # rows of one file
PIECE = 500
WAIVERS = ("integration", "company", "program", "requirement", "reason", "given by", "until (UTC)", "address")
FAILING = ("check", "program", "failed", "looked at")
MAIL = (
    "subject", "to", "template", "state", "written (UTC)", "sent (UTC)", "attempts", "last error", "integration",
    "address",
)  # fmt: skip
COMPANIES = ("company", "mail domain", "alliances manager", "open", "listed", "address")


def address(name: str, *args: Any) -> str:
    return settings.SITE_URL + reverse(name, args=args)


def waivers(request: HttpRequest, now: datetime) -> Table:
    """Every waiver that counts now, the one that ends first first."""
    found = workload.open_waivers(chosen(request, now, period=False))[:MOST]
    rows = (
        (
            row.integration.name, row.integration.partner.name, PROGRAMS[row.integration.program_key].name,
            row.requirement.title if row.requirement else row.requirement_id, row.waiver_reason,
            str(row.given_by or ""), row.waived_until,
            address("requirement", row.integration.uuid, row.requirement_id),
        )
        for row in found
    )  # fmt: skip
    return Table("waivers", WAIVERS, rows)


def failing(request: HttpRequest, now: datetime) -> Table:
    """Every check that fails for an open integration, the most failed first."""
    found = workload.every_failing(chosen(request, now, period=False))
    return Table("failing-checks", FAILING, [(row.title, row.program_name, row.failed, row.looked) for row in found])


def mail(request: HttpRequest, now: datetime) -> Table:
    """The outbox as the address filters it, without what the mails say."""
    for_program(request)
    rows = email_log.chosen(request.GET.get("state", ""), searched(request.GET.get("q", "")))
    return Table("outbox", MAIL, _mails(rows))


def _mails(rows: Any) -> Rows:
    words = dict(email_log.Email.State.choices)
    columns = (
        "subject", "to", "name", "state", "created_at", "sent_at", "attempts", "last_error", "integration__name", "uuid"
    )  # fmt: skip
    for row in rows.values_list(*columns)[:MOST].iterator(chunk_size=PIECE):
        subject, to, name, state, *rest, uuid = row
        yield (subject, to, name, str(words.get(state, state)), *rest, address("mail", uuid))


def companies(request: HttpRequest, now: datetime) -> Table:
    """The companies as the address filters them, with their integrations counted."""
    for_program(request)
    found: Any = companies_found(searched(request.GET.get("q", "")))[:MOST]
    rows = (
        (row.name, row.domain, str(row.alliances_manager or ""), row.open, row.listed, address("partner", row.slug))
        for row in found.iterator(chunk_size=PIECE)
    )
    return Table("companies", COMPANIES, rows)
