"""Tests of who receives the reports of programs and when, with and without an account."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail as django_mail
from django.urls import reverse

from integrations.sla.models import MonitoredRepository
from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import perform_transition
from portal.accounts.models import User
from portal.audit.models import AuditEvent
from portal.core.errors import ActionRefused
from portal.jobs.execution import run_due_jobs
from portal.notifications.models import EmailMessage
from portal.reports import schedules, tasks, unsubscribe
from portal.reports.models import ExternalRecipient, ReportSchedule, ReportSnapshot
from portal.reports.recipients import has_role
from portal.reports.scopes import find_report_scope
from tests.integrations.sla.rows import create_repository_row
from tests.portal.pseudo_language import activate_pseudo_language
from tests.portal.reports.deliveries import HOUR, MONDAY, list_readers

pytestmark = pytest.mark.any_database

NOMAD = "program:nomad"
DAY = timedelta(days=1)


@pytest.fixture
def manager(rob: User) -> User:
    """A manager of the Nomad program."""
    User.objects.filter(pk=rob.pk).update(program_roles=["manager:nomad"])
    return User.objects.get(pk=rob.pk)


def build_url(name: str, *args: object) -> str:
    return reverse(f"reports:{name}", args=args or [NOMAD])


def list_sent_to(scope: str) -> list[str]:
    emails = EmailMessage.objects.filter(key__startswith=f"report:{scope}:").order_by("to")
    return list(emails.values_list("to", flat=True))


def list_event_types() -> list[str]:
    return list(
        AuditEvent.objects.filter(stream=f"report:{NOMAD}").order_by("seq").values_list("event_type", flat=True)
    )


@pytest.mark.every_database
def test_managers_get_their_program_and_administrators_all_by_default(
    monitored_repository: MonitoredRepository, manager: User, rita: User, sam: User
) -> None:
    User.objects.filter(pk=rita.pk).update(is_auditor=True)
    tasks.generate_due_reports(MONDAY)
    assert (list_sent_to("programs"), list_sent_to(NOMAD)) == (["sam@program.example"], ["rob@program.example"])


@pytest.mark.parametrize(
    ("roles", "program", "expected"),
    [
        (["manager"], "nomad", True),
        (["manager"], "vault", False),
        (["manager"], "", True),
        (["reviewer"], "vault", True),
        (["superuser", "auditor"], "nomad", False),
        ([], "nomad", False),
    ],
)
def test_role_counts_in_its_program(manager: User, roles: list[str], program: str, expected: bool) -> None:
    assert has_role(manager, roles, program) is expected


def test_schedule_decides_on_roles_day_hour_and_zone(
    monitored_repository: MonitoredRepository, manager: User, rita: User, sam: User, sign_in: Any
) -> None:
    values = {"roles": ["reviewer"], "weekday": 2, "hour": 9, "zone": "America/New_York", "skips_empty": "on"}
    assert sign_in(manager).post(build_url("recipients"), values).status_code == 302
    due_at = MONDAY + 2 * DAY + 5 * HOUR  # 9 AM in New York
    tasks.generate_due_reports(due_at - HOUR)
    assert list_sent_to(NOMAD) == []
    tasks.generate_due_reports(due_at)
    tasks.generate_due_reports(due_at + DAY)
    assert list_sent_to(NOMAD) == ["rita@program.example", "rob@program.example"]
    assert list_event_types() == ["report.schedule_changed"]


@pytest.mark.parametrize(("skips_empty", "expected"), [(True, []), (False, ["rob@program.example"])])
def test_empty_week_is_skipped_unless_wanted(
    rocket: Integration, manager: User, now: Any, skips_empty: bool, expected: list[str]
) -> None:
    create_repository_row(rocket, now)
    ReportSchedule.objects.create(scope=NOMAD, roles=["manager"], skips_empty=skips_empty)
    tasks.generate_due_reports(MONDAY)
    assert list_sent_to(NOMAD) == expected
    assert ReportSnapshot.objects.get(scope=NOMAD, kind="week").delivered_at == MONDAY


def test_schedule_retains_fields_that_a_colleague_changed(manager: User, sign_in: Any) -> None:
    client = sign_in(manager)
    url = build_url("recipients")
    shown = {"roles": ["manager"], "weekday": 0, "hour": 8, "zone": "UTC", "skips_empty": "on"}
    page = client.get(url).text
    assert [name for name in shown if f'name="initial-{name}"' not in page] == []
    ReportSchedule.objects.create(scope=NOMAD, roles=["reviewer"], hour=10)
    client.post(url, shown | {"weekday": 2} | {f"initial-{name}": value for name, value in shown.items()})
    schedule = ReportSchedule.objects.get()
    assert (schedule.roles, schedule.weekday, schedule.hour, schedule.skips_empty) == (["reviewer"], 2, 10, True)


@pytest.mark.every_database
def test_invalid_schedule_is_refused(manager: User, sign_in: Any) -> None:
    values = {"roles": ["owner"], "weekday": 9, "hour": 25, "zone": "Mars/Base"}
    response = sign_in(manager).post(build_url("recipients"), values)
    assert (response.status_code, sorted(response.context["form"].errors)) == (
        422,
        ["hour", "roles", "weekday", "zone"],
    )
    assert ReportSchedule.objects.count() == 0


def test_external_recipient_gets_reports_after_confirming(
    monitored_repository: MonitoredRepository,
    manager: User,
    sign_in: Any,
    client: Any,
    settings: Any,
    time_machine: Any,
) -> None:
    settings.EMAIL_LOG_PUBLIC = False
    time_machine.move_to(MONDAY - DAY, tick=False)
    sign_in(manager).post(build_url("add_recipient"), {"email": "CFO@Bank.example", "frequency": "weekly"})
    recipient = ExternalRecipient.objects.get()
    assert (
        sign_in(manager)
        .post(build_url("add_recipient"), {"email": "cfo@bank.example", "frequency": "weekly"})
        .status_code
        == 422
    )
    link = unsubscribe.build_external_url(recipient, "reports:confirm_external").removeprefix(settings.SITE_URL)
    request = EmailMessage.objects.get(name="report_confirmation", to="cfo@bank.example")
    assert link in request.text
    log_page = reverse("inbox:email", args=[request.uuid])
    assert sign_in(manager).get(log_page).status_code == 404  # nor does staff confirm for others
    client.logout()
    tasks.generate_due_reports(MONDAY - 7 * DAY)
    client.get(link)
    assert "cfo@bank.example" not in list_sent_to(NOMAD)  # nor does a scanner that opens the link
    assert [client.post(link).status_code for _ in range(2)] == [200, 200]
    tasks.generate_due_reports(MONDAY)
    assert list_sent_to(NOMAD)[0] == "cfo@bank.example"
    assert list_event_types() == ["report.recipient_added", "report.recipient_confirmed"]


@pytest.mark.every_database
def test_external_email_links_only_to_pages_that_its_reader_can_open(
    monitored_repository: MonitoredRepository, manager: User, client: Any, settings: Any
) -> None:
    ExternalRecipient.objects.create(scope=NOMAD, email="cfo@bank.example", added_at=MONDAY, confirmed_at=MONDAY)
    tasks.generate_due_reports(MONDAY)
    email = EmailMessage.objects.get(to="cfo@bank.example")
    assert email.text.startswith("1 issue is overdue. 1 of 2 SLA targets met, 1 breached.\n")
    assert f"#2: https://github.com/{monitored_repository.repository}/issues/2" in email.text
    assert "/reports/program:nomad/" not in email.html
    footer = "Manage notification preferences"
    own = EmailMessage.objects.get(name="report", to=manager.email)
    assert [footer in text for text in (email.text, email.html, own.text, own.html)] == [False, False, True, True]
    links = re.findall(rf"{settings.SITE_URL}(/reports/files/\S+)", email.text)
    files = [client.get(link) for link in links]
    assert [file["Content-Type"] for file in files] == ["application/pdf", "text/csv; charset=utf-8"]
    assert [file["Cache-Control"] for file in files] == ["private, no-store"] * 2  # or they outlive the recipient
    ExternalRecipient.objects.update(ended_at=MONDAY)
    assert [client.get(link).status_code for link in links] == [404, 404]
    assert "You received this email because you confirmed this address" in email.text


def test_external_recipient_unsubscribes_with_one_click(
    monitored_repository: MonitoredRepository, client: Any, settings: Any, sam: User
) -> None:
    recipient = ExternalRecipient.objects.create(
        scope=NOMAD, email="cfo@bank.example", added_at=MONDAY, confirmed_at=MONDAY
    )
    tasks.generate_due_reports(MONDAY)
    settings.EMAIL_STORED_ONLY = False
    run_due_jobs("email", MONDAY)
    email = next(each for each in django_mail.outbox if each.to == ["cfo@bank.example"])
    assert email.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    link = email.extra_headers["List-Unsubscribe"].strip("<>").removeprefix(settings.SITE_URL)
    client.get(link)
    assert ExternalRecipient.objects.get(pk=recipient.pk).ended_at is None
    assert client.post(link, {"List-Unsubscribe": "One-Click"}).status_code == 200
    tasks.generate_due_reports(MONDAY + 7 * DAY)
    assert list_readers().count("cfo@bank.example") == 1
    assert list_event_types() == ["report.recipient_unsubscribed"]
    assert client.post(link).status_code == 404


def test_staff_revoke_an_external_recipient(
    monitored_repository: MonitoredRepository, manager: User, sign_in: Any, client: Any
) -> None:
    recipient = ExternalRecipient.objects.create(scope=NOMAD, email="cfo@bank.example", added_at=MONDAY)
    link = unsubscribe.build_external_url(recipient, "reports:confirm_external")
    page = sign_in(manager).get(build_url("recipients")).content.decode()
    assert ("cfo@bank.example" in page, "Not confirmed" in page) == (True, True)
    assert client.post(build_url("remove_recipient", NOMAD, recipient.pk)).status_code == 302
    assert client.post(link).status_code == 404
    assert list_event_types() == ["report.recipient_removed"]


def test_recipients_are_edited_by_managers_of_the_program_and_staff(
    acme: Any, alice: User, rita: User, manager: User, sam: User, sign_in: Any
) -> None:
    scopes = (NOMAD, "programs", f"partner:{acme.slug}", "program:none")
    codes = [
        [sign_in(who).get(build_url("recipients", scope)).status_code for scope in scopes]
        for who in (alice, rita, manager, sam)
    ]
    assert codes == [[404] * 4, [404] * 4, [200, 404, 404, 404], [200, 200, 404, 404]]
    pages = [sign_in(who).get(reverse("reports:list")).content.decode() for who in (manager, sam)]
    assert [[build_url("recipients", scope) in page for scope in scopes[:2]] for page in pages] == [
        [True, False],
        [True, True],
    ]


@pytest.mark.every_database
def test_second_request_for_a_recipient_is_refused(monitored_repository: MonitoredRepository, manager: User) -> None:
    report_scope = find_report_scope(NOMAD)
    assert report_scope is not None
    schedules.add_external_recipient(report_scope, "cfo@bank.example", actor=manager, now=MONDAY)
    with pytest.raises(ActionRefused, match="This address is already a recipient"):
        schedules.add_external_recipient(report_scope, "cfo@bank.example", actor=manager, now=MONDAY)
    assert (ExternalRecipient.objects.count(), list_event_types()) == (1, ["report.recipient_added"])


@pytest.mark.every_database
def test_external_recipient_chooses_a_frequency_when_confirming(
    manager: User, sign_in: Any, client: Any, settings: Any, time_machine: Any
) -> None:
    time_machine.move_to(MONDAY, tick=False)
    sign_in(manager).post(build_url("add_recipient"), {"email": "cfo@bank.example", "frequency": "monthly"})
    recipient = ExternalRecipient.objects.get()
    assert "Every month" in EmailMessage.objects.get(name="report_confirmation").text
    link = unsubscribe.build_external_url(recipient, "reports:confirm_external").removeprefix(settings.SITE_URL)
    client.logout()
    page = client.get(link).content.decode()
    assert ('<option value="monthly" selected>' in page, 'value="never"' in page) == (True, False)
    statuses = []
    for frequency in ("never", "quarterly", "weekly"):
        status_code = client.post(link, {"frequency": frequency}).status_code
        recipient.refresh_from_db()
        statuses.append((status_code, recipient.frequency, bool(recipient.confirmed_at)))
    assert statuses == [(422, "monthly", False), (200, "quarterly", True), (200, "weekly", True)]
    assert list_event_types() == ["report.recipient_added", "report.recipient_confirmed"]


def test_recipient_who_was_removed_meanwhile_cannot_confirm(manager: User) -> None:
    recipient = ExternalRecipient.objects.create(scope=NOMAD, email="cfo@bank.example", added_at=MONDAY)
    schedules.end_external_recipient(ExternalRecipient.objects.get(), actor=manager, now=MONDAY)
    assert schedules.confirm_external_recipient(recipient, MONDAY) is False
    assert (ExternalRecipient.objects.get().confirmed_at, list_event_types()) == (None, ["report.recipient_removed"])


def test_unchanged_schedule_is_not_recorded(manager: User, sign_in: Any) -> None:
    shown = {"roles": ["manager"], "weekday": 0, "hour": 8, "zone": "UTC", "skips_empty": "on"}
    values = shown | {f"initial-{name}": value for name, value in shown.items()}
    assert sign_in(manager).post(build_url("recipients"), values).status_code == 302
    assert list_event_types() == []


def test_recorded_schedule_does_not_use_the_language_of_the_manager(manager: User) -> None:
    with activate_pseudo_language():
        schedules.change_schedule(NOMAD, {"weekday": 2}, actor=manager, now=MONDAY)
    event = AuditEvent.objects.get(stream=f"report:{NOMAD}")
    assert event.data["when"] == "Wednesday 8:00 AM UTC"


def test_notice_is_hidden_from_recipients_without_an_account(integration_at: Any, rita: User, client: Any) -> None:
    row = integration_at("support")
    perform_transition(row, "issue_notice", actor=rita, note="Two breaches.", now=MONDAY - DAY)
    ExternalRecipient.objects.create(scope=NOMAD, email="cfo@bank.example", added_at=MONDAY, confirmed_at=MONDAY)
    ReportSchedule.objects.create(scope=NOMAD, roles=["reviewer"], skips_empty=False)
    tasks.generate_due_reports(MONDAY)
    texts = dict(EmailMessage.objects.filter(key__startswith=f"report:{NOMAD}:").values_list("to", "text"))
    assert {to: "Issued a notice" in text for to, text in texts.items()} == {
        "cfo@bank.example": False,
        "rita@program.example": True,
    }
    recipient = ExternalRecipient.objects.get()
    snapshot = ReportSnapshot.objects.get(scope=NOMAD, kind="week")
    path = unsubscribe.build_shared_url(recipient, snapshot, "csv").split("/", 3)[3]
    assert "notice" not in client.get(f"/{path}").text
