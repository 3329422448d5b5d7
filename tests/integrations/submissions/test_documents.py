"""Documents come and go with the requirement's status; what the company gives once counts everywhere."""

import hashlib

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from integrations.submissions.models import Integration
from integrations.submissions.services import documents
from integrations.submissions.workflow.states import Status
from portal.core.errors import NotAllowed
from portal.core.uploads import Examined
from tests.conftest import begin

LOGS, LOGO = "NO-7-LOGS", "NO-8-LOGO"


def examined(content: bytes = b"ok 1", name: str = "run.txt", kind: str = "txt") -> Examined:
    return Examined(ContentFile(content, name), name, kind, len(content), hashlib.sha256(content).hexdigest())


def status(row, requirement_id=LOGS):
    state = Integration.objects.get(pk=row.pk).states.filter(requirement_id=requirement_id).first()
    return state.status if state else Status.OPEN


def test_upload_meets_the_requirement(rocket, alice, now):
    kept = documents.upload(rocket, LOGS, examined(), by=alice, now=now)
    event = rocket.events.last()
    assert status(rocket) == Status.GIVEN
    assert (event.verb, event.data["name"], event.data["size"]) == ("document_uploaded", "run.txt", 4)
    with default_storage.open(kept.file.name) as file:
        assert file.read() == b"ok 1"
    assert "run" not in kept.file.name


def test_upload_sent_twice(rocket, alice, now):
    first = documents.upload(rocket, LOGS, examined(), by=alice, now=now)
    second = documents.upload(rocket, LOGS, examined(), by=alice, now=now)
    assert second == first
    assert rocket.events.filter(verb="document_uploaded").count() == 1


def test_replaced_document_is_gone(rocket, alice, now, django_capture_on_commit_callbacks):
    old = documents.upload(rocket, LOGS, examined(), by=alice, now=now)
    with django_capture_on_commit_callbacks(execute=True):
        new = documents.upload(rocket, LOGS, examined(b"ok 2"), by=alice, now=now, replaces=str(old.uuid))
    assert documents.current(rocket, LOGS) == [new]
    assert not default_storage.exists(old.file.name)


def test_removed_last_document_opens_the_requirement(rocket, alice, now, django_capture_on_commit_callbacks):
    kept = documents.upload(rocket, LOGS, examined(), by=alice, now=now)
    with django_capture_on_commit_callbacks(execute=True):
        documents.remove(rocket, LOGS, str(kept.uuid), by=alice, now=now)
    assert (status(rocket), documents.current(rocket, LOGS)) == (Status.OPEN, [])
    assert not default_storage.exists(kept.file.name)


def test_document_removed_twice(rocket, alice, now):
    kept = documents.upload(rocket, LOGS, examined(), by=alice, now=now)
    documents.remove(rocket, LOGS, str(kept.uuid), by=alice, now=now)
    with pytest.raises(NotAllowed, match="replaced or removed meanwhile"):
        documents.remove(rocket, LOGS, str(kept.uuid), by=alice, now=now)


def test_upload_by_a_reviewer_for_the_company(rocket, rita, now):
    with pytest.raises(NotAllowed, match="Only owners and editors"):
        documents.upload(rocket, LOGS, examined(), by=rita, now=now)


def test_upload_beyond_the_most(rocket, alice, now):
    for number in range(documents.MOST):
        documents.upload(rocket, LOGS, examined(b"ok %d" % number), by=alice, now=now)
    with pytest.raises(NotAllowed, match="20 documents already"):
        documents.upload(rocket, LOGS, examined(b"one more"), by=alice, now=now)


def test_logo_counts_for_every_integration(acme, rocket, alice, now):
    other = begin(acme, alice, name="Satellite")
    kept = documents.upload(rocket, LOGO, examined(), by=alice, now=now)
    later = begin(acme, alice, name="Probe")
    assert [documents.current(row, LOGO) for row in (rocket, other, later)] == [[kept]] * 3
    assert status(other, LOGO) == Status.GIVEN
