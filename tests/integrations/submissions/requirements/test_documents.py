"""Tests of documents on the requirement page."""

import pytest
from bs4 import BeautifulSoup
from django.core.files.uploadedfile import SimpleUploadedFile

from integrations.submissions.models import Document
from integrations.submissions.services import documents
from tests.conftest import create_integration
from tests.integrations.page_text import get_text
from tests.integrations.submissions.requirements.pages import submit_action
from tests.integrations.submissions.test_documents import LOGS, build_validated_file

pytestmark = pytest.mark.any_database


def test_document_is_uploaded_and_downloaded(rocket, alice, bob, sign_in):
    submit_action(sign_in(alice), rocket, LOGS, "upload", file=SimpleUploadedFile('"x\r\ny: z.txt', b"ok 1"))
    document = Document.objects.get()
    response = sign_in(bob).get(f"/documents/{document.uuid}/")
    assert b"".join(response.streaming_content) == b"ok 1"
    assert response.headers["Content-Disposition"] == f'attachment; filename="{document.name}"'
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
    response.close()


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (None, "Select a file."),
        (SimpleUploadedFile("a.txt", b""), "The file is empty."),
        (SimpleUploadedFile("a.txt", b"\x7fELF\x00"), "The file type is not supported."),
    ],
)
def test_invalid_document_is_refused_with_field_error(rocket, alice, sign_in, file, message):
    response = submit_action(sign_in(alice), rocket, LOGS, "upload", **({"file": file} if file else {}))
    assert response.status_code == 422
    assert message in BeautifulSoup(response.content, "html.parser").find(id="upload-file_error").get_text()


def test_document_larger_than_the_limit_is_refused(rocket, alice, sign_in, settings):
    settings.UPLOAD_MAX_MB = 1
    response = submit_action(sign_in(alice), rocket, LOGS, "upload", file=SimpleUploadedFile("a.txt", b"a" * 3_000_000))
    assert response.status_code == 422
    assert "The file is larger than 1 MB." in get_text(response)
    assert Document.objects.count() == 0


@pytest.mark.parametrize(("who", "status"), [("alice", 200), ("rita", 200), ("sam", 200), ("charlie", 404)])
def test_document_is_for_the_team_and_the_program(rocket, alice, now, sign_in, request, who, status):
    document = documents.upload_document(rocket, LOGS, build_validated_file(), actor=alice, now=now)
    response = sign_in(request.getfixturevalue(who)).get(f"/documents/{document.uuid}/")
    response.close()
    assert response.status_code == status


def test_removed_document_is_not_found(rocket, alice, now, sign_in):
    document = documents.upload_document(rocket, LOGS, build_validated_file(), actor=alice, now=now)
    client = sign_in(alice)
    assert submit_action(client, rocket, LOGS, "remove", uuid=str(document.uuid)).status_code == 302
    assert client.get(f"/documents/{document.uuid}/").status_code == 404


def test_document_of_another_partner_cannot_be_removed(rocket, globex, alice, charlie, now, sign_in):
    document = documents.upload_document(
        create_integration(globex, charlie), LOGS, build_validated_file(), actor=charlie, now=now
    )
    response = submit_action(sign_in(alice), rocket, LOGS, "remove", uuid=str(document.uuid))
    assert (response.status_code, Document.objects.get().removed_at) == (409, None)
