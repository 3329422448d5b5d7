"""Tests of the evidence on the review page, and of its comparison with the previous round."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from bs4 import BeautifulSoup
from django.core.files.uploadedfile import SimpleUploadedFile

from integrations.programs.requirements import Requirement
from integrations.reviews.round_comparison import ValueChange, compare_evidence
from integrations.submissions.models import EvidenceSnapshot, Integration
from integrations.submissions.services import credentials, findings, requirements as answers
from integrations.submissions.services.transitions import perform_transition
from integrations.submissions.text_changes import TextChange
from portal.accounts.models import User
from portal.core import crypto
from tests.conftest import fulfill_requirements
from tests.integrations.database_rows import reload_row
from tests.integrations.page_text import get_text
from tests.integrations.reviews.pages.review_pages import SignIn, add_finding, get_review_page

pytestmark = pytest.mark.any_database
EMPTY = {"confirmed": False, "answers": {}, "documents": [], "checks": []}


@pytest.fixture
def form_requirement(rocket: Integration) -> Requirement:
    return next(each for each in rocket.edition.list_requirements() if each.fields)


def end_first_round(row: Integration, alice: User, rita: User, frozen_now: datetime) -> None:
    """Request changes with one finding, answer it, and complete what the partner has to."""
    finding = add_finding(row, rita, frozen_now)
    perform_transition(reload_row(row), "request_changes", actor=rita, now=frozen_now)
    findings.answer_finding(finding, "Done.", actor=alice, now=frozen_now)
    fulfill_requirements(row, alice, frozen_now)


def resubmit(row: Integration, alice: User, frozen_now: datetime) -> None:
    perform_transition(reload_row(row), "resubmit_for_review", actor=alice, now=frozen_now + timedelta(minutes=11))


def list_index_links(response: Any) -> list[str]:
    index = BeautifulSoup(response.content, "html.parser").select(".split-index li > a")
    return [link["href"] for link in index]


def test_index_links_every_requirement_of_the_page(rocket: Integration, rita: User, sign_in: SignIn) -> None:
    response = get_review_page(sign_in(rita), rocket)
    document = BeautifulSoup(response.content, "html.parser")
    anchors = [f"#{item['id']}" for item in document.select("article.asserted")]
    assert list_index_links(response) == anchors
    assert len(anchors) == sum(len(section.items) for section in response.context["sections"])
    assert "No evidence yet. Waiting for" in get_text(response)


def test_answer_is_shown_with_its_author_and_link(
    rocket: Integration, form_requirement: Requirement, alice: User, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    field = form_requirement.fields[0]
    answers.submit_answer(
        rocket, form_requirement.id, {field.key: "https://acme.example/x"}, actor=alice, now=frozen_now
    )
    item = f"#requirement-{form_requirement.id}"
    response = get_review_page(sign_in(rita), rocket)
    assert "Alice Archer" in get_text(response, item)
    assert f"{field.label} https://acme.example/x" in get_text(response, item)
    assert '<a href="https://acme.example/x" rel="nofollow">' in response.text


def test_passed_check_is_one_line_with_folded_details(
    integration_at: Callable[..., Integration], rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    row = integration_at("review", program="terraform-provider")
    requirement = next(each for each in row.edition.list_requirements() if each.responsible_party == "portal")
    result = {"key": "x", "title": "License", "outcome": "pass", "summary": "MPL-2.0.", "version": 3}
    result |= {
        "inspected_summary": "commit 4f2a",
        "evidence": [{"label": "File", "value": "LICENSE", "url": "https://x.example"}],
    }
    answers.record_check_outcome(
        row, requirement.id, outcome="pass", summary="Fine.", detail=[result], retry_at=None, now=frozen_now
    )
    response = get_review_page(sign_in(rita), row)
    item = f"#requirement-{requirement.id}"
    assert get_text(response, f"{item} .passed-check") == "Passed License MPL-2.0."
    checked = "License MPL-2.0. File LICENSE Checked commit 4f2a · check version 3"
    assert checked in get_text(response, f"{item} details:not([open])")
    answers.record_check_outcome(
        reload_row(row),
        requirement.id,
        outcome="fail",
        summary="None.",
        detail=[result | {"outcome": "fail"}],
        retry_at=None,
        now=frozen_now,
    )
    response = get_review_page(sign_in(rita), row)
    assert f"Failed {checked}" in get_text(response, f"{item} .asserted-body")
    assert "Check details" not in get_text(response, item)


def test_checks_with_the_same_result_are_one_entry(
    integration_at: Callable[..., Integration], rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    row = integration_at("review", program="terraform-provider")
    requirement = next(each for each in row.edition.list_requirements() if each.responsible_party == "portal")
    result = {"key": "x", "outcome": "not_run", "summary": "No schema.", "evidence": [], "version": 1}
    detail = [
        result | {"title": "Protocol"},
        result | {"title": "Registry", "summary": "No registry."},
        result | {"title": "Secrets"},
    ]
    answers.record_check_outcome(
        row, requirement.id, outcome="not_run", summary="None.", detail=detail, retry_at=None, now=frozen_now
    )
    response = get_review_page(sign_in(rita), row)
    body = get_text(response, f"#requirement-{requirement.id} .asserted-body")
    assert body.endswith("Not run 2 checks No schema. Protocol · Secrets Not run Registry No registry.")


def test_test_accounts_are_listed_without_their_values(
    integration_at: Callable[..., Integration], alice: User, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    row = integration_at("review", program="vault")
    requirement = next(each for each in row.edition.list_requirements() if each.kind == "credentials")
    secret = crypto.Secret("hush")
    credentials.submit_credential(row, requirement.id, "Test tenant", secret, actor=alice, now=frozen_now, uuid=uuid4())
    text = get_text(get_review_page(sign_in(rita), row), f"#requirement-{requirement.id}")
    assert ["Stored: Test tenant." in text, "No evidence" in text, "hush" in text] == [True, False, False]


def test_first_round_is_not_compared(rocket: Integration, rita: User, sign_in: SignIn) -> None:
    response = get_review_page(sign_in(rita), rocket)
    assert response.context["comparison"] is None
    assert "Since round" not in get_text(response)


def test_second_round_is_compared_with_the_first(
    ready_integration: Integration, alice: User, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    changed = next(each for each in ready_integration.edition.list_requirements() if each.fields)
    field = changed.fields[0]
    answers.submit_answer(ready_integration, changed.id, {field.key: "On Tuesdays"}, actor=alice, now=frozen_now)
    end_first_round(reload_row(ready_integration), alice, rita, frozen_now)
    answers.submit_answer(
        reload_row(ready_integration), changed.id, {field.key: "Every day"}, actor=alice, now=frozen_now
    )
    resubmit(ready_integration, alice, frozen_now)
    assert list(EvidenceSnapshot.objects.order_by("round").values_list("round", flat=True)) == [1, 2]
    client = sign_in(rita)
    response = get_review_page(client, ready_integration)
    comparison = response.context["comparison"]
    assert [comparison[name] for name in ("round", "changed", "new")] == [1, 1, 1]
    assert f"{field.label} Before On Tuesdays Now Every day" in get_text(response, f"#requirement-{changed.id}")
    filtered = client.get(f"/integrations/{ready_integration.uuid}/review/?show=changed")
    about_findings = next(each for each in ready_integration.edition.list_requirements() if each.after_findings)
    assert list_index_links(filtered) == [f"#requirement-{changed.id}", f"#requirement-{about_findings.id}"]
    assert filtered.context["comparison"] == comparison


def test_complete_unchanged_step_is_folded_from_the_second_round(
    ready_integration: Integration, alice: User, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    client = sign_in(rita)
    first_round = get_review_page(client, ready_integration).context["sections"]
    end_first_round(ready_integration, alice, rita, frozen_now)
    resubmit(ready_integration, alice, frozen_now)
    sections = get_review_page(client, ready_integration).context["sections"]
    assert [section.is_open for section in first_round] == [True, True, True, True, False, False]
    assert [section.is_open for section in sections] == [True, True, False, True, False, False]


def test_snapshot_of_a_missing_round_is_mentioned(
    ready_integration: Integration, alice: User, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    end_first_round(ready_integration, alice, rita, frozen_now)
    resubmit(ready_integration, alice, frozen_now)
    EvidenceSnapshot.objects.all().delete()
    assert "The evidence of the previous round was not recorded." in get_text(
        get_review_page(sign_in(rita), ready_integration), "#comparison"
    )


@pytest.mark.parametrize(
    ("old", "new", "state"),
    [
        ({}, EMPTY, None),
        ({}, EMPTY | {"confirmed": True}, "new"),
        (EMPTY | {"documents": ["a.svg · SHA-256 1"]}, EMPTY | {"documents": ["a.svg · SHA-256 2"]}, "changed"),
        (EMPTY | {"confirmed": True}, {}, "changed"),
        (EMPTY | {"answers": {"met": "yes"}}, EMPTY | {"answers": {"met": "yes"}}, "unchanged"),
    ],
)
def test_evidence_is_new_changed_or_unchanged(
    form_requirement: Requirement, old: dict[str, Any], new: dict[str, Any], state: str | None
) -> None:
    comparison = compare_evidence(form_requirement, old, new)
    assert (comparison and comparison.state) == state


def test_check_differs_by_outcome_or_release_and_not_by_commit(form_requirement: Requirement) -> None:
    check = {"key": "x", "title": "License", "outcome": "fail", "summary": "None.", "subjects": {"release": "v1"}}
    passed = check | {"outcome": "pass", "summary": "MPL.", "subjects": {"release": "v2"}}
    comparison = compare_evidence(form_requirement, EMPTY | {"checks": [check]}, EMPTY | {"checks": [passed]})
    assert comparison is not None
    assert comparison.changes == (
        ValueChange("License", "Failed · None.", "Passed · MPL."),
        ValueChange("License (release)", "v1", "v2"),
    )


def test_long_texts_are_compared_by_words() -> None:
    text = "Rocket launches on Tuesdays, and lands in the sea. "
    text += "Its crew counts backward and opens the hatch after an hour."
    change = ValueChange("Summary", text, text.replace("sea.", "desert."))
    assert [part for part in change.text_changes if part.change != "kept"] == [
        TextChange("removed", "sea. "),
        TextChange("added", "desert. "),
    ]
    assert ValueChange("Summary", "sea", "desert").text_changes == []
    assert ValueChange("Summary", text, "0123456789 " * 20).text_changes == []


def test_document_is_shown_with_type_size_and_digest(
    integration_at: Callable[..., Integration], alice: User, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    row = integration_at("review")
    requirement = next(each for each in row.edition.list_requirements() if each.kind == "document")
    client = sign_in(alice)
    url = f"/integrations/{row.uuid}/requirements/{requirement.id}/"
    file = SimpleUploadedFile("notes.txt", b"It launches.")
    client.post(url, {"action": "upload", "file": file})
    document = row.partner.documents.get()
    text = get_text(get_review_page(sign_in(rita), row), f"#requirement-{requirement.id}")
    assert f"notes.txt {document.kind_label} · 12 B · {document.sha256[:12]}" in text
