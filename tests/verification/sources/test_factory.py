"""Tests of the GitHub credentials and requests of the portal."""

from datetime import timedelta

import pytest
from django.utils import timezone

from portal.notifications.models import EmailMessage
from tests.fakes.github.server import Repo
from verification.sources import factory, http_cache
from verification.sources.errors import SourceUnavailableError
from verification.sources.models import GitHubRateLimit, HttpCacheEntry

pytestmark = [pytest.mark.any_database, pytest.mark.django_db, pytest.mark.github]
NAME = "acme/terraform-provider-rocket"


@pytest.fixture
def seeded_github(github):
    github.seed(Repo(NAME))
    return github


def test_unchanged_response_does_not_count_toward_the_limit(seeded_github):
    first = factory.build_github_client().get_repository(NAME)
    before = GitHubRateLimit.objects.get().request_count
    assert factory.build_github_client().get_repository(NAME) == first
    assert (before, GitHubRateLimit.objects.get().request_count) == (1, 1)
    assert HttpCacheEntry.objects.get().confirmed_at > HttpCacheEntry.objects.get().at


def test_changed_response_replaces_the_cached_one(seeded_github):
    factory.build_github_client().get_repository(NAME)
    seeded_github.set_extra(NAME, archived=True)
    assert factory.build_github_client().get_repository(NAME).archived is True
    assert factory.build_github_client().get_repository(NAME).archived is True


def test_tree_of_a_commit_is_requested_once(seeded_github):
    factory.build_github_client().get_snapshot(NAME, "main")
    seeded_github.requests.clear()
    factory.build_github_client().get_snapshot(NAME, "main")
    assert [path for path in seeded_github.requests if "/git/trees/" in path] == []


def test_refused_token_is_not_used_again_and_staff_are_notified(seeded_github, settings, sam):
    settings.GITHUB_TOKEN = "revoked"
    with pytest.raises(SourceUnavailableError):
        factory.build_github_client().get_repository(NAME)
    assert GitHubRateLimit.objects.exclude(disabled_at=None).count() == 1
    emails = EmailMessage.objects.filter(name="github_credential_rejected")
    assert [email.to for email in emails] == [sam.email]
    assert "revoked" not in "".join(f"{email.subject}{email.text}{email.html}" for email in emails)
    count = len(seeded_github.requests)
    with pytest.raises(SourceUnavailableError):
        factory.build_github_client(background=True).get_repository(NAME)
    assert len(seeded_github.requests) == count
    assert (
        factory.build_github_client().get_repository(NAME).full_name == NAME
    )  # interactive requests continue anonymously


def test_rate_limit_has_a_retry_time_and_stops_requests(seeded_github):
    seeded_github.fail("/repos/", "rate_limit")
    with pytest.raises(SourceUnavailableError, match=r"limit.*Can't read the repository") as refusal:
        factory.build_github_client().get_repository(NAME)
    assert timedelta(hours=1) < refusal.value.retry_at - timezone.now() < timedelta(hours=25)
    count = len(seeded_github.requests)
    with pytest.raises(SourceUnavailableError):
        factory.build_github_client().list_releases(NAME)
    assert len(seeded_github.requests) == count


def test_credential_is_named_without_its_secret(settings):
    settings.GITHUB_TOKEN = "ghp_secret"
    assert factory.get_credential()[0].startswith("token ")
    assert "ghp" not in factory.get_credential()[0]
    settings.GITHUB_TOKEN = ""
    assert factory.get_credential() == ("anonymous", 60, None)


def test_app_installation_takes_precedence_over_the_token(app_settings):
    name, limit, auth = factory.get_credential()
    assert (name.rpartition(" ")[0], len(name.rpartition(" ")[2])) == ("app 7, installation 11, key", 8)
    assert (limit, auth.app_id, auth.installation_id) == (5000, "7", 11)


def test_unused_cached_responses_are_deleted(seeded_github):
    factory.build_github_client().get_repository(NAME)
    assert http_cache.forget_unused(timezone.now()) == 0
    assert http_cache.forget_unused(timezone.now() + http_cache.UNUSED_AFTER + timedelta(days=1)) == 1


def test_corrupt_cached_response_is_requested_again(seeded_github):
    first = factory.build_github_client().get_repository(NAME)
    HttpCacheEntry.objects.update(body=b"corrupt")
    assert factory.build_github_client().get_repository(NAME) == first
