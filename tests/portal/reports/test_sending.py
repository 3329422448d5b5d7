"""Tests of the staff page of a report's emails: preview, sending now, and sending again."""

import re
import weakref
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db.models import Model
from django.db.models.signals import post_init
from django.urls import reverse
from django.utils.html import escape

from integrations.partners.models import Partner
from integrations.sla.models import MonitoredRepository
from portal.accounts.models import User
from portal.audit.models import AuditEvent
from portal.jobs.execution import run_due_jobs
from portal.jobs.models import Job
from portal.notifications.models import EmailMessage
from portal.reports import tasks, unsubscribe
from portal.reports.deliveries import (
    BATCH_SIZE,
    deliver_report,
    list_deliveries,
    preview_report_email,
    request_sending,
    send_to_recipient,
)
from portal.reports.models import ExternalRecipient, Frequency, ReportSnapshot
from portal.reports.recipients import Recipient, list_recipients
from portal.reports.scopes import find_report_scope
from tests.portal.pseudo_language import activate_pseudo_language
from tests.portal.reports.deliveries import HOUR, MONDAY, list_readers

pytestmark = pytest.mark.any_database


def build_url(name: str, scope: str) -> str:
    return reverse(f"reports:{name}", args=[scope, "2026-W16"])


def list_events() -> list[tuple[str, str]]:
    rows = AuditEvent.objects.filter(stream__startswith="report:").order_by("seq")
    return [(event.event_type, event.summary) for event in rows]


def get_states() -> dict[str, str]:
    return dict(EmailMessage.objects.filter(name="report").order_by("pk").values_list("to", "state"))


def test_preview_is_the_exact_email_without_the_unsubscribe_link(
    scope: str, alice: User, sam: User, sign_in: Any
) -> None:
    client = sign_in(sam)
    sent = EmailMessage.objects.get(name="report", to="alice@acme.example")
    html = client.get(build_url("email_html", scope), {"to": alice.pk})
    page = client.get(build_url("emails", scope), {"to": alice.pk}).content.decode()
    redacted = [text.replace(sent.unsubscribe, "(personal link)") for text in (sent.text, sent.html)]
    assert (sent.unsubscribe in sent.text, html.content.decode()) == (True, redacted[1])
    assert (html["X-Frame-Options"], html["Content-Security-Policy"].rpartition("; ")[2]) == ("SAMEORIGIN", "sandbox")
    assert (escape(redacted[0]) in page, escape(sent.subject) in page) == (True, True)


def test_admin_page_of_the_email_hides_its_unsubscribe_link(scope: str, sam: User, sign_in: Any) -> None:
    email = EmailMessage.objects.get(name="report", to="alice@acme.example")
    page = sign_in(sam).get(reverse("admin:notifications_emailmessage_change", args=[email.pk]))
    assert (page.status_code, email.unsubscribe in page.text) == (200, False)


def test_preview_has_own_links_only(scope: str, sam: User, sign_in: Any) -> None:
    recipient = ExternalRecipient.objects.create(
        scope="program:nomad", email="cfo@bank.example", added_at=MONDAY, confirmed_at=MONDAY
    )
    snapshot = ReportSnapshot.objects.get(scope="program:nomad", kind="week")
    links = [unsubscribe.build_external_url(recipient), unsubscribe.build_unsubscribe_url(sam, "program:nomad")]
    links += [unsubscribe.build_shared_url(recipient, snapshot, form) for form in ("csv", "pdf")]
    client = sign_in(sam)
    pages = [
        client.get(build_url(name, "program:nomad"), {"to": key} if key else {}).content.decode()
        for key in ("", f"external-{recipient.pk}")
        for name in ("emails", "email_html")
    ]
    assert [[link in page for link in links] for page in pages] == [
        *[[False, True, False, False]] * 2,
        *[[False] * 4] * 2,
    ]


@pytest.mark.every_database
def test_report_is_sent_now_to_pending_recipients(
    scope: str, sam: User, sign_in: Any, settings: Any, time_machine: Any
) -> None:
    settings.EMAIL_STORED_ONLY = True
    time_machine.move_to(MONDAY - 5 * HOUR, tick=False)
    client = sign_in(sam)
    assert "Send 2 emails" in client.get(build_url("emails", scope)).content.decode()
    client.post(build_url("send_emails", scope))
    assert get_states() == {"alice@acme.example": "held", "bob@acme.example": "held"}
    assert "Sending the report…" in client.get(build_url("emails", scope)).content.decode()
    client.post(build_url("send_emails", scope))
    run_due_jobs("email", MONDAY - 5 * HOUR)
    assert get_states() == {"alice@acme.example": "stored", "bob@acme.example": "stored"}
    client.post(build_url("send_emails", scope))
    assert list_readers() == ["alice@acme.example", "bob@acme.example"]
    assert list_events() == [("report.sent_now", "Sam Stone sent the report for 2026-W16 to its recipients: 2")]
    assert "All subscribers have an email with this report." in client.get(build_url("emails", scope)).content.decode()


def test_report_is_sent_now_to_a_new_member(
    scope: str, acme: Partner, charlie: User, sam: User, sign_in: Any, time_machine: Any
) -> None:
    time_machine.move_to(MONDAY + 5 * HOUR, tick=False)
    run_due_jobs("email", MONDAY + 5 * HOUR)
    acme.memberships.create(user=charlie, role="owner", joined_at=MONDAY)
    client = sign_in(sam)
    assert "Send 1 email<" in client.get(build_url("emails", scope)).content.decode()
    client.post(build_url("send_emails", scope))
    run_due_jobs("email", MONDAY + 5 * HOUR)
    assert list_readers() == ["alice@acme.example", "bob@acme.example", "charlie@globex.example"]
    tasks.generate_due_reports(MONDAY + 6 * HOUR)
    assert list_readers().count("charlie@globex.example") == 1


def test_canceled_email_is_not_sent_by_a_pending_request(scope: str, alice: User, sam: User, settings: Any) -> None:
    settings.EMAIL_STORED_ONLY = True
    snapshot = ReportSnapshot.objects.get(scope=scope, kind="week")
    assert request_sending(snapshot, actor=sam, now=MONDAY - 7 * HOUR) == 2
    unsubscribe.update_subscription(alice, scope, Frequency.NEVER)
    run_due_jobs("email", MONDAY - 7 * HOUR)
    assert get_states() == {"alice@acme.example": "canceled", "bob@acme.example": "stored"}


@pytest.mark.parametrize("frequency", Frequency)
def test_scheduled_email_is_sent_only_if_its_reader_still_wants_it(
    scope: str, alice: User, frequency: Frequency
) -> None:
    unsubscribe.update_subscription(alice, scope, frequency)
    is_wanted = frequency in (Frequency.WEEKLY, Frequency.ONLY_WITH_PROBLEMS)  # the report has an overdue issue
    assert get_states() == {"alice@acme.example": "held" if is_wanted else "canceled", "bob@acme.example": "held"}


@pytest.mark.every_database
def test_report_is_not_sent_again_after_a_change_of_address(scope: str, alice: User, sam: User) -> None:
    snapshot = ReportSnapshot.objects.get(scope=scope, kind="week")
    EmailMessage.objects.filter(name="report", person=alice).update(state=EmailMessage.State.SENT)
    User.objects.filter(pk=alice.pk).update(email="alice@new.example")
    deliveries = {each.recipient.email: each for each in list_deliveries(snapshot)}
    states = {address: each.email and each.email.state for address, each in deliveries.items()}
    assert states == {"alice@new.example": "sent", "bob@acme.example": "held"}


def test_recipients_have_pages(scope: str, sam: User, sign_in: Any) -> None:
    ExternalRecipient.objects.bulk_create(
        ExternalRecipient(scope="program:nomad", email=f"{n:02}@bank.example", added_at=MONDAY, confirmed_at=MONDAY)
        for n in range(60)
    )
    client = sign_in(sam)
    pages = [client.get(build_url("emails", "program:nomad"), {"page": page}).content.decode() for page in (1, 2)]
    assert ["Send 60 emails" in page for page in pages] == [True, True]
    assert [page.count("Not created yet") for page in pages] == [50, 10]
    assert "?page=2&amp;to=external-" in pages[1]


def test_email_does_not_use_the_language_of_the_sender(scope: str, alice: User) -> None:
    snapshot = ReportSnapshot.objects.get(scope=scope, kind="week")
    recipient = Recipient(str(alice.pk), alice, Frequency.WEEKLY)
    expected = preview_report_email(snapshot, recipient, alice, MONDAY - 7 * HOUR)
    with activate_pseudo_language():
        email = preview_report_email(snapshot, recipient, alice, MONDAY - 7 * HOUR)
    assert (email.subject, email.text.splitlines()) == (expected.subject, expected.text.splitlines())


def test_report_is_sent_now_to_a_reader_who_did_not_want_it_before(
    scope: str, charlie: User, acme: Partner, sam: User, sign_in: Any, settings: Any
) -> None:
    settings.EMAIL_STORED_ONLY = True
    acme.memberships.create(user=charlie, role="owner", joined_at=MONDAY)
    unwanted = Recipient(str(charlie.pk), charlie, Frequency.NEVER)
    assert deliver_report(ReportSnapshot.objects.get(scope=scope, kind="week"), [unwanted], MONDAY - 7 * HOUR) == 0
    client = sign_in(sam)
    for _ in range(2):
        client.post(build_url("send_emails", scope))
        run_due_jobs("email", MONDAY - 7 * HOUR)
    assert get_states()[charlie.email] == "stored"
    assert list_events() == [("report.sent_now", "Sam Stone sent the report for 2026-W16 to its recipients: 3")]


@pytest.mark.every_database
def test_report_is_sent_again_to_one_recipient(
    scope: str, alice: User, sam: User, sign_in: Any, time_machine: Any
) -> None:
    time_machine.move_to(MONDAY + 240 * HOUR, tick=False)
    client = sign_in(sam)
    for _ in range(2):
        client.post(build_url("send_emails", scope), {"to": alice.pk})
    assert list_readers() == [*["alice@acme.example"] * 2, "bob@acme.example"]  # the scheduled one, and another
    assert (
        list_events()
        == [("report.sent_to_recipient", "Sam Stone sent the report for 2026-W16 to alice@acme.example")] * 2
    )
    page = client.get(build_url("emails", scope)).content.decode()
    assert ("Queued" in page, "Scheduled for" in page) == (True, True)
    latest = EmailMessage.objects.filter(to="alice@acme.example", name="report").latest("pk")
    assert "Most overdue issues at the end of the week" in latest.text  # sent long after its week
    assert client.post(build_url("send_emails", scope), {"to": "0"}).status_code == 404


@pytest.mark.every_database
def test_report_sent_to_one_recipient_is_not_sent_again_on_schedule(
    monitored_repository: MonitoredRepository, sam: User, time_machine: Any
) -> None:
    time_machine.move_to(MONDAY - 2 * HOUR, tick=False)
    tasks.generate_due_reports(MONDAY - 2 * HOUR)
    snapshot = ReportSnapshot.objects.get(scope="programs", kind="week")
    send_to_recipient(snapshot, Recipient(str(sam.pk), sam, Frequency.WEEKLY), actor=sam, now=MONDAY - 2 * HOUR)
    sent = list_readers().count(sam.email)
    tasks.generate_due_reports(MONDAY)
    assert (sent, EmailMessage.objects.filter(key__startswith="report:programs:", to=sam.email).count()) == (1, 1)


def test_emails_are_for_managers_of_the_program_and_staff(
    scope: str, alice: User, rita: User, rob: User, sam: User, sign_in: Any
) -> None:
    User.objects.filter(pk=rob.pk).update(program_roles=["manager:nomad"])
    names = ("emails", "email_html", "send_emails")
    codes = {
        who.email: [
            sign_in(who).get(build_url(name, scope)).status_code
            if name != "send_emails"
            else sign_in(who).post(build_url(name, scope)).status_code
            for name in names
        ]
        for who in (alice, rita, rob, sam)
    }
    assert list(codes.values()) == [[404] * 3, [404] * 3, [404] * 3, [200, 200, 302]]
    link = build_url("emails", scope)
    pages = [sign_in(who).get(build_url("detail", scope)).content.decode() for who in (rita, sam)]
    assert [link in page for page in pages] == [False, True]


def test_email_log_has_no_links_of_external_recipients(
    monitored_repository: MonitoredRepository, alice: User, sam: User, sign_in: Any, settings: Any
) -> None:
    settings.EMAIL_LOG_PUBLIC = False
    recipient = ExternalRecipient.objects.create(
        scope="program:nomad", email="cfo@bank.example", added_at=MONDAY, confirmed_at=MONDAY
    )
    tasks.generate_due_reports(MONDAY)
    email, own = (EmailMessage.objects.get(name="report", to=to) for to in (recipient.email, alice.email))
    links = [*re.findall(r"https?://\S+/reports/files/\S+", email.text), email.unsubscribe, own.unsubscribe]
    assert [link in email.text + own.text for link in links] == [True] * 4
    client = sign_in(sam)
    for row in (email, own):
        page = client.get(reverse("inbox:email", args=[row.uuid])).content.decode()
        assert [link in page for link in links] == [False] * 4
        assert "(personal link)" in page
    assert own.unsubscribe in sign_in(alice).get(reverse("inbox:email", args=[own.uuid])).content.decode()


@contextmanager
def track_instances(model: type[Model]) -> Iterator[Counter[str]]:
    """Yield the largest number of instances that were in memory at a time."""
    counts: Counter[str] = Counter()

    def count_instance(sender: type[Model], instance: Model, **kwargs: Any) -> None:
        counts["now"] += 1
        counts["instances"] = max(counts["instances"], counts["now"])
        weakref.finalize(instance, counts.subtract, ["now"])

    post_init.connect(count_instance, sender=model)
    try:
        yield counts
    finally:
        post_init.disconnect(count_instance, sender=model)


@pytest.mark.every_database
def test_report_to_1000_recipients_takes_few_queries_and_little_memory_per_batch(
    monitored_repository: MonitoredRepository, django_assert_max_num_queries: Any
) -> None:
    ExternalRecipient.objects.bulk_create(
        ExternalRecipient(scope="program:nomad", email=f"{n}@bank.example", added_at=MONDAY, confirmed_at=MONDAY)
        for n in range(1000)
    )
    tasks.generate_due_reports(MONDAY - 2 * HOUR)
    snapshot = ReportSnapshot.objects.get(scope="program:nomad", kind="week")
    report_scope = find_report_scope("program:nomad")
    assert report_scope is not None
    recipients = list_recipients(report_scope)
    with django_assert_max_num_queries(10 * 13), track_instances(EmailMessage) as peak:
        assert deliver_report(snapshot, recipients, MONDAY) == 1000
    assert peak["instances"] == BATCH_SIZE
    assert Job.objects.filter(kind="notifications.send_email").count() == EmailMessage.objects.count()
    assert deliver_report(snapshot, recipients, MONDAY) == 0
