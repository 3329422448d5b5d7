"""Tests of agreements that were signed outside the portal."""

from datetime import timedelta

import pytest
from bs4 import BeautifulSoup
from django.core.files.uploadedfile import SimpleUploadedFile

from integrations.submissions.models import Agreement, AgreementSignature, Integration
from integrations.submissions.selectors.agreements import list_agreements
from integrations.submissions.services import agreements
from integrations.submissions.services.agreements import Signature
from integrations.submissions.services.transitions import perform_transition
from integrations.submissions.workflow.states import Status
from portal.core.errors import ActionRefused
from portal.notifications.models import EmailMessage
from tests.conftest import create_integration
from tests.integrations.page_text import get_text
from tests.integrations.submissions.requirements.pages import get_url, submit_action
from tests.integrations.submissions.signatures import ALICE, RITA, TPA, sign
from tests.integrations.submissions.test_documents import build_validated_file
from tests.portal.core.test_uploads import PDF

SIGNER = Signature("Alice Archer", "CEO", "")


def upload(row, by, now, content=PDF, **fields):
    digest = fields.get("digest", agreements.get_current_agreement(row.partner, "tpa").digest)
    file = build_validated_file(content, "tpa.pdf", "pdf")
    return agreements.upload_signed_agreement(row, TPA, file, SIGNER, digest=digest, actor=by, now=now)


def confirm(row, by, now):
    document = agreements.get_current_agreement(row.partner, "tpa").document
    return agreements.confirm_upload(row, TPA, sha256=document.sha256 if document else "", actor=by, now=now)


def get_answer(row):
    state = Integration.objects.get(pk=row.pk).fulfillments.get(requirement_id=TPA)
    return state.status, state.data.get("waits_for", "")


def list_event_types(row):
    return list(row.events.values_list("event_type", flat=True))[1:]


def list_emails(person):
    return list(EmailMessage.objects.filter(person=person).order_by("pk").values_list("name", flat=True))


def test_uploaded_pdf_waits_for_the_program(rocket, alice, now):
    agreement = upload(rocket, alice, now)
    assert (agreement.method, agreement.document.name, agreement.is_complete) == ("upload", "tpa.pdf", False)
    assert (get_answer(rocket), list_event_types(rocket)) == (
        (Status.AWAITING_OTHER_PARTY, "program"),
        ["agreement.uploaded"],
    )


def test_confirmed_pdf_completes_the_agreement(rocket, alice, rita, now):
    upload(rocket, alice, now)
    agreement = confirm(rocket, rita, now)
    assert (agreement.is_complete, get_answer(rocket)) == (True, (Status.SUBMITTED, ""))
    assert agreements.get_agreement_in_force(rocket.partner, "tpa") == agreement
    assert list(AgreementSignature.objects.order_by("pk").values_list("side", "user", "signer", "statement")) == [
        ("partner", alice.pk, "Alice Archer", ""),
        ("program", rita.pk, "Rita Reyes", "Both sides signed the uploaded PDF."),
    ]
    assert list_event_types(rocket) == ["agreement.uploaded", "agreement.completed"]
    assert list_emails(alice)[-1] == "agreement_complete"


def test_pdf_that_replaced_the_one_that_the_reviewer_read_is_not_confirmed(rocket, alice, rita, now, sign_in):
    upload(rocket, alice, now)
    program = sign_in(rita)
    page = BeautifulSoup(program.get(get_url(rocket, TPA)).content, "html.parser")
    fields = {each["name"]: each.get("value", "") for each in page.select("form:has([value=confirm_agreement]) input")}
    upload(rocket, alice, now, content=PDF + b"\n")  # with other terms
    response = submit_action(program, rocket, TPA, fields.pop("action"), **fields)
    assert "The partner replaced the PDF. Read the new one, then confirm it." in get_text(response)
    assert (response.status_code, get_answer(rocket)) == (409, (Status.AWAITING_OTHER_PARTY, "program"))


@pytest.mark.any_database
def test_rejected_pdf_opens_the_requirement_and_is_kept(rocket, alice, rita, now):
    first = upload(rocket, alice, now)
    agreements.reject_upload(rocket, TPA, reason="Page 2 is missing.", actor=rita, now=now)
    event = rocket.events.last()
    assert (get_answer(rocket), event.event_type, event.note) == (
        (Status.OPEN, ""),
        "agreement.upload_rejected",
        "Page 2 is missing.",
    )
    assert list_emails(alice)[-1] == "agreement_rejected"
    second = upload(rocket, alice, now, content=PDF + b"\n")
    assert [(row.agreement, row.state) for row in list_agreements(rocket.partner)] == [
        (second, "waiting_for_program"),
        (first, "rejected"),
    ]
    first.document.refresh_from_db()
    assert first.document.removed_at is None


def test_newer_upload_replaces_the_one_that_waits(rocket, alice, now):
    first = upload(rocket, alice, now).document
    second = upload(rocket, alice, now, content=PDF + b"\n").document
    first.refresh_from_db()
    assert (first.removed_at, second.removed_at, Agreement.objects.count()) == (now, None, 1)


@pytest.mark.any_database
def test_signature_in_the_portal_replaces_a_waiting_pdf(rocket, alice, rita, now):
    document = upload(rocket, alice, now).document
    agreement = sign(rocket, alice, now, ALICE)
    document.refresh_from_db()
    assert (agreement.method, agreement.document, document.removed_at) == ("portal", None, now)
    assert sign(rocket, rita, now, RITA).is_complete


def test_signature_of_the_program_in_the_portal_does_not_count_for_a_pdf(rocket, alice, rita, now):
    sign(rocket, rita, now, RITA)
    assert upload(rocket, alice, now).is_complete is False
    assert list(AgreementSignature.objects.values_list("side", flat=True)) == ["partner"]


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda row, users, now: sign(row, users["rita"], now, RITA), "Confirm or reject it"),
        (lambda row, users, now: upload(row, users["rita"], now), "Only owners and editors of the company"),
        (lambda row, users, now: upload(row, users["alice"], now, digest="0" * 64), "Read the agreement again"),
        (
            lambda row, users, now: confirm(row, users["alice"], now),
            "Only reviewers of the program can do this",
        ),
        (
            lambda row, users, now: agreements.reject_upload(row, TPA, reason="No.", actor=users["alice"], now=now),
            "Only reviewers of the program can do this",
        ),
    ],
)
def test_action_is_refused_while_a_pdf_waits(rocket, alice, rita, now, act, message):
    upload(rocket, alice, now)
    with pytest.raises(ActionRefused, match=message):
        act(rocket, {"alice": alice, "rita": rita}, now)


def test_confirmation_and_rejection_need_a_waiting_pdf(rocket, rita, now):
    with pytest.raises(ActionRefused, match="No signed PDF is waiting for confirmation"):
        confirm(rocket, rita, now)
    with pytest.raises(ActionRefused, match="No signed PDF is waiting for confirmation"):
        agreements.reject_upload(rocket, TPA, reason="No.", actor=rita, now=now)


@pytest.mark.any_database
def test_complete_agreement_takes_no_upload(rocket, alice, rita, now):
    upload(rocket, alice, now)
    confirm(rocket, rita, now)
    with pytest.raises(ActionRefused, match="Both sides already signed version 2026-01"):
        upload(rocket, alice, now, content=PDF + b"\n")


def test_upload_is_rejected_then_confirmed_on_the_page(rocket, alice, rita, sign_in):
    company = sign_in(alice)
    digest = BeautifulSoup(company.get(get_url(rocket, TPA)).content, "html.parser").find("input", {"name": "digest"})
    fields = {"signer": "Alice Archer", "title": "CEO", "digest": digest["value"]}
    response = submit_action(
        company, rocket, TPA, "upload_agreement", **fields, file=SimpleUploadedFile("tpa.txt", b"Signed.")
    )
    assert (
        response.status_code,
        "The content of the file is plain text. Supported types: PDF." in get_text(response),
    ) == (
        422,
        True,
    )
    submit_action(company, rocket, TPA, "upload_agreement", **fields, file=SimpleUploadedFile("tpa.pdf", PDF))
    program = sign_in(rita)
    assert 'value="sign"' not in program.get(get_url(rocket, TPA)).content.decode()
    assert submit_action(program, rocket, TPA, "reject_agreement", reason="").status_code == 422
    submit_action(program, rocket, TPA, "reject_agreement", reason="Page 2 is missing.")
    company = sign_in(alice)
    assert "The program rejected the signed PDF: Page 2 is missing." in get_text(company.get(get_url(rocket, TPA)))
    submit_action(company, rocket, TPA, "upload_agreement", **fields, file=SimpleUploadedFile("tpa.pdf", PDF))
    document = agreements.get_current_agreement(rocket.partner, "tpa").document
    submit_action(sign_in(rita), rocket, TPA, "confirm_agreement", sha256=document.sha256)
    assert get_answer(rocket) == (Status.SUBMITTED, "")
    agreement = Agreement.objects.get(completed_at__isnull=False)
    assert sign_in(alice).get(f"/agreements/{agreement.pk}.pdf").status_code == 404


@pytest.mark.any_database
def test_pdf_rejected_while_the_integration_was_withdrawn_opens_the_requirement(acme, rocket, alice, rita, now):
    lander = create_integration(acme, alice, name="Lander")
    upload(rocket, alice, now)
    perform_transition(rocket, "withdraw", actor=alice, now=now)
    agreements.reject_upload(lander, TPA, reason="Page two is missing.", actor=rita, now=now)
    assert get_answer(rocket) == (Status.AWAITING_OTHER_PARTY, "program")
    perform_transition(rocket, "reopen", actor=alice, now=now + timedelta(minutes=10))
    assert get_answer(rocket) == (Status.OPEN, "")
