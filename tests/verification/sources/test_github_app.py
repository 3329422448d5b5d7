"""Tests of access to GitHub as an installation of an App."""

from datetime import timedelta

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from portal.notifications.models import EmailMessage
from tests.fakes.github.server import Repo
from verification.sources import factory
from verification.sources.errors import SourceUnavailableError
from verification.sources.github.api import build_installation_auth
from verification.sources.models import GitHubRateLimit

pytestmark = [pytest.mark.any_database, pytest.mark.django_db, pytest.mark.github]
NAME = "acme/terraform-provider-rocket"
PEM = serialization.Encoding.PEM
INFO = serialization.PublicFormat.SubjectPublicKeyInfo


@pytest.fixture
def apps(github, app_settings, app_key):
    """Register app 7 with its installation 11 in the fake GitHub too."""
    build_installation_auth.cache_clear()
    github.seed(Repo(NAME))
    apps = github.apps
    apps.keys["7"] = app_key.public_key().public_bytes(PEM, INFO).decode()
    apps.installations[11] = "7"
    github.requests.clear()
    yield apps
    build_installation_auth.cache_clear()


def test_installation_reads_with_one_token_an_hour(apps, github):
    assert factory.build_github_client().get_repository(NAME).full_name == NAME
    assert factory.build_github_client(background=True).list_releases(NAME)
    repository = f"GET /repos/{NAME}"  # read before the releases too, because it could be private
    expected_requests = ["POST /app/installations/11/access_tokens", repository, repository, f"{repository}/releases"]
    assert (github.requests, len(apps.issued_tokens)) == (expected_requests, 1)
    row = GitHubRateLimit.objects.get()
    assert (row.name.rpartition(",")[0], row.request_count) == ("app 7, installation 11", 2)


@pytest.mark.every_database
def test_expiring_token_is_renewed(apps):
    apps.lasts = timedelta(seconds=5)
    for _ in range(2):
        factory.build_github_client().get_repository(NAME)
    assert len(apps.issued_tokens) == 2


@pytest.mark.parametrize("wrong", ["key", "installation"])
def test_unknown_app_is_disabled_and_staff_are_notified(apps, github, sam, wrong):
    if wrong == "key":
        apps.keys["7"] = rsa.generate_private_key(65537, 2048).public_key().public_bytes(PEM, INFO).decode()
    else:
        apps.installations.clear()
    with pytest.raises(SourceUnavailableError):
        factory.build_github_client().get_repository(NAME)
    assert GitHubRateLimit.objects.exclude(disabled_at=None).count() == 1
    assert [mail.to for mail in EmailMessage.objects.filter(name="github_credential_rejected")] == [sam.email]
    assert (
        factory.build_github_client().get_repository(NAME).full_name == NAME
    )  # interactive requests continue anonymously


def test_invalid_key_in_the_settings_is_disabled(apps, settings):
    settings.GITHUB_APP_KEY = "no key"
    with pytest.raises(SourceUnavailableError, match="doesn't accept the portal's token"):
        factory.build_github_client().get_repository(NAME)
    assert GitHubRateLimit.objects.exclude(disabled_at=None).count() == 1


@pytest.mark.every_database
def test_outage_of_the_token_does_not_disable_the_app(apps, github):
    github.fail("/app/", 502)
    with pytest.raises(SourceUnavailableError, match="Can't read"):
        factory.build_github_client().get_repository(NAME)
    assert GitHubRateLimit.objects.exclude(disabled_at=None).count() == 0
