"""Tests of document services."""

import hashlib

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from integrations.submissions.models import Integration
from integrations.submissions.services import documents
from integrations.submissions.workflow.states import Status
from portal.core.errors import ActionRefused
from portal.core.uploads import ValidatedFile
from tests.conftest import create_integration

pytestmark = pytest.mark.any_database

LOGS = "NO-7-LOGS"
LOGO = "NO-8-LOGO"


def build_validated_file(content: bytes = b"ok 1", name: str = "run.txt", kind: str = "txt") -> ValidatedFile:
    return ValidatedFile(ContentFile(content, name), name, kind, len(content), hashlib.sha256(content).hexdigest())


def get_status(row, requirement_id=LOGS):
    state = Integration.objects.get(pk=row.pk).fulfillments.filter(requirement_id=requirement_id).first()
    return state.status if state else Status.OPEN


def test_upload_fulfills_the_requirement(rocket, alice, now):
    document = documents.upload_document(rocket, LOGS, build_validated_file(), actor=alice, now=now)
    event = rocket.events.last()
    assert get_status(rocket) == Status.SUBMITTED
    assert (event.event_type, event.data["name"], event.data["size"]) == ("document.uploaded", "run.txt", 4)
    with default_storage.open(document.file.name) as file:
        assert file.read() == b"ok 1"
    assert "run" not in document.file.name


@pytest.mark.every_database
def test_upload_sent_twice_is_stored_once(rocket, alice, now):
    first = documents.upload_document(rocket, LOGS, build_validated_file(), actor=alice, now=now)
    second = documents.upload_document(rocket, LOGS, build_validated_file(), actor=alice, now=now)
    assert second == first
    assert rocket.events.filter(event_type="document.uploaded").count() == 1


def test_replaced_document_is_deleted(rocket, alice, now, django_capture_on_commit_callbacks):
    old = documents.upload_document(rocket, LOGS, build_validated_file(), actor=alice, now=now)
    with django_capture_on_commit_callbacks(execute=True):
        new = documents.upload_document(
            rocket, LOGS, build_validated_file(b"ok 2"), actor=alice, now=now, replaces=str(old.uuid)
        )
    assert documents.list_current_documents(rocket, LOGS) == [new]
    assert not default_storage.exists(old.file.name)


def test_document_replaced_with_the_content_of_another_is_deleted(rocket, alice, now):
    old = documents.upload_document(rocket, LOGS, build_validated_file(), actor=alice, now=now)
    other = documents.upload_document(rocket, LOGS, build_validated_file(b"ok 2"), actor=alice, now=now)
    for _ in range(2):  # the button is pressed twice
        replacement = documents.upload_document(
            rocket, LOGS, build_validated_file(b"ok 2"), actor=alice, now=now, replaces=str(old.uuid)
        )
        assert (replacement, documents.list_current_documents(rocket, LOGS)) == (other, [other])
    assert rocket.events.filter(event_type="document.deleted").count() == 1


@pytest.mark.every_database
def test_removal_of_the_last_document_opens_the_requirement(rocket, alice, now, django_capture_on_commit_callbacks):
    document = documents.upload_document(rocket, LOGS, build_validated_file(), actor=alice, now=now)
    with django_capture_on_commit_callbacks(execute=True):
        documents.remove_document(rocket, LOGS, str(document.uuid), actor=alice, now=now)
    assert (get_status(rocket), documents.list_current_documents(rocket, LOGS)) == (Status.OPEN, [])
    assert not default_storage.exists(document.file.name)


@pytest.mark.every_database
def test_document_cannot_be_removed_twice(rocket, alice, now):
    document = documents.upload_document(rocket, LOGS, build_validated_file(), actor=alice, now=now)
    documents.remove_document(rocket, LOGS, str(document.uuid), actor=alice, now=now)
    with pytest.raises(ActionRefused, match="replaced or deleted"):
        documents.remove_document(rocket, LOGS, str(document.uuid), actor=alice, now=now)


def test_reviewer_cannot_upload_for_the_partner(rocket, rita, now):
    with pytest.raises(ActionRefused, match="Only owners and editors"):
        documents.upload_document(rocket, LOGS, build_validated_file(), actor=rita, now=now)


def test_number_of_documents_is_limited(rocket, alice, now):
    for number in range(documents.MAX_DOCUMENTS):
        documents.upload_document(rocket, LOGS, build_validated_file(b"ok %d" % number), actor=alice, now=now)
    with pytest.raises(ActionRefused, match="up to 20 documents"):
        documents.upload_document(rocket, LOGS, build_validated_file(b"one more"), actor=alice, now=now)


def test_logo_counts_for_every_integration(acme, rocket, alice, now):
    other = create_integration(acme, alice, name="Satellite")
    document = documents.upload_document(rocket, LOGO, build_validated_file(), actor=alice, now=now)
    later = create_integration(acme, alice, name="Probe")
    assert [documents.list_current_documents(row, LOGO) for row in (rocket, other, later)] == [[document]] * 3
    assert get_status(other, LOGO) == Status.SUBMITTED
