"""Tests that release assets of private repositories are downloaded with a person's access only."""

from dataclasses import replace
from pathlib import Path

import pytest

from portal.accounts.models import User
from portal.github_access import clients, services
from tests.fakes.github.server import GitHub
from tests.portal.github_access.conftest import SECRET, Connect
from tests.verification.testruns.nomad_plugin.test_release import ARCHIVE, GOOD, PROGRAM, SUBJECT, build_checksums
from verification.sources import Sources
from verification.sources.errors import SourceNotFoundError
from verification.sources.factory import build_github_client
from verification.testruns import releases

pytestmark = [pytest.mark.any_database, pytest.mark.github]
SECRET_SUBJECT = replace(SUBJECT, repository=SECRET.full_name, tag="v1.1.0")


@pytest.fixture
def release(github_app: GitHub) -> int:
    number = github_app.create_release(SECRET.full_name, "v1.1.0")
    github_app.upload_asset(SECRET.full_name, number, "v1.1.0", ARCHIVE, GOOD)
    github_app.upload_asset(SECRET.full_name, number, "v1.1.0", "SHA256SUMS", build_checksums(ARCHIVE, GOOD))
    return number


def test_private_asset_is_downloaded_with_the_grant(
    connect: Connect, alice: User, release: int, tmp_path: Path
) -> None:
    sources = Sources(clients.build_grant_client(connect(alice)))
    assert releases.fetch_nomad_plugin(SECRET_SUBJECT, sources, tmp_path).read_bytes() == PROGRAM


def test_private_asset_is_not_downloaded_after_the_grant_ended(
    connect: Connect, alice: User, release: int, tmp_path: Path
) -> None:
    grant = connect(alice)
    client = clients.build_grant_client(grant)
    client.list_releases(SECRET.full_name)
    services.reject_grant(grant, grant.granted_at)
    with pytest.raises(SourceNotFoundError, match="has ended"):
        releases.fetch_nomad_plugin(SECRET_SUBJECT, Sources(client), tmp_path)


def test_credential_of_the_portal_is_never_sent_for_an_asset(
    connect: Connect, alice: User, release: int, settings: object
) -> None:
    settings.GITHUB_TOKEN = "portal"  # type: ignore[attr-defined]
    assets = clients.build_grant_client(connect(alice)).list_releases(SECRET.full_name)[0].assets
    assert [build_github_client().build_asset_request(SECRET.full_name, asset) for asset in assets] == [
        (asset.url, {}) for asset in assets
    ]
