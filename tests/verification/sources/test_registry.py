"""Tests of the registry client."""

import json
from dataclasses import replace

import pytest

from tests.fakes.registry import HIDDEN_PROVIDER, Provider, build_v2_response
from verification.sources.errors import (
    AccessDeniedError,
    MissingVersionError,
    SourceNotFoundError,
    SourceUnavailableError,
)
from verification.sources.published_versions import load_listing, sort_versions
from verification.sources.registry import client as source
from verification.sources.registry.client import RegistryClient

ROCKET = Provider(
    "acme/rocket",
    tier="partner",
    versions=("1.0.0", "1.2.0", "1.3.0-rc1"),
    platforms=("linux_amd64", "darwin_arm64"),
    protocols=("6.0",),
    repository_id=4711,
)
PROBE = "/v2/providers/acme/rocket"
FULL_READ = [PROBE, "/v1/providers/acme/rocket/versions", "/v1/providers/acme/rocket/1.2.0"]


def test_listing_is_read(registry):
    registry.publish(ROCKET)
    listing = RegistryClient().read_listing("acme", "rocket")
    assert (listing.full_name, listing.tier, listing.versions, listing.newest) == (
        "acme/rocket",
        "partner",
        ("1.0.0", "1.2.0", "1.3.0-rc1"),
        "1.2.0",
    )
    assert (listing.platforms, listing.protocols, listing.docs) == (
        ("linux_amd64", "darwin_arm64"),
        ("6.0",),
        {"overview": 1, "resources": 1},
    )
    assert listing.builds == dict.fromkeys(("1.3.0-rc1", "1.2.0", "1.0.0"), ("linux_amd64", "darwin_arm64"))
    assert (listing.warning, listing.unlisted, listing.moved_to, listing.repository_id) == ("", False, "", 4711)
    assert registry.requests == FULL_READ


def test_internal_api_adds_warning_visibility_and_move(registry):
    registry.publish(Provider("acme/rocket", warning="Old.", unlisted=True, moved_to="acme/rocket2"))
    listing = RegistryClient().read_listing("acme", "rocket")
    assert (listing.warning, listing.unlisted, listing.moved_to) == ("Old.", True, "acme/rocket2")


def test_fields_that_the_internal_api_omits_are_unknown(registry):
    registry.publish(ROCKET)
    response = build_v2_response(ROCKET)
    del response["data"]["attributes"]["warning"], response["data"]["attributes"]["unlisted"]
    registry.fail(200, json.dumps(response).encode(), under="/v2/")
    listing = RegistryClient().read_listing("acme", "rocket")
    assert (listing.newest, listing.warning, listing.unlisted) == ("1.2.0", None, None)


def test_move_to_an_unknown_provider_is_reported(registry):
    registry.publish(Provider("acme/rocket", moved_to=HIDDEN_PROVIDER))
    assert RegistryClient().read_listing("acme", "rocket").moved_to == "another provider"


def test_unchanged_listing_takes_one_request(registry):
    registry.publish(ROCKET)
    before = RegistryClient().read_listing("acme", "rocket")
    registry.requests.clear()
    assert RegistryClient().read_listing("acme", "rocket", load_listing(before.as_dict())) == before
    assert registry.requests == [PROBE]


def test_stored_listing_without_builds_is_read_again(registry):
    registry.publish(ROCKET)
    whole = RegistryClient().read_listing("acme", "rocket")
    old = load_listing({name: value for name, value in whole.as_dict().items() if name != "builds"})
    registry.requests.clear()
    assert RegistryClient().read_listing("acme", "rocket", old) == whole
    assert registry.requests == FULL_READ


def test_version_without_platforms_is_read_again(registry):
    """For a while after a release, the list of platforms can lack the new version."""
    registry.publish(ROCKET)
    registry.fail(200, b'{"versions": [{"version": "1.0.0"}]}', under="/v1/providers/acme/rocket/versions")
    incomplete = RegistryClient().read_listing("acme", "rocket")
    registry.fault = None
    assert (incomplete.platforms, incomplete.builds) == (None, {"1.0.0": ()})
    listing = RegistryClient().read_listing("acme", "rocket", load_listing(incomplete.as_dict()))
    assert listing.platforms == ("linux_amd64", "darwin_arm64")


def test_versions_are_sorted_with_invalid_ones_last():
    assert sort_versions(["0.9.0", "x", "0.10.0", "1.0.0-rc1", "1.0.0"]) == (
        "1.0.0",
        "1.0.0-rc1",
        "0.10.0",
        "0.9.0",
        "x",
    )


def test_new_warning_does_not_request_the_version_again(registry):
    registry.publish(ROCKET)
    before = RegistryClient().read_listing("acme", "rocket")
    registry.publish(Provider(**(vars(ROCKET) | {"warning": "Old."})))
    registry.requests.clear()
    after = RegistryClient().read_listing("acme", "rocket", before)
    assert (after.warning, after.platforms, registry.requests) == ("Old.", before.platforms, [PROBE])


def test_new_version_is_requested(registry):
    registry.publish(ROCKET)
    before = RegistryClient().read_listing("acme", "rocket")
    registry.publish(Provider(**(vars(ROCKET) | {"versions": ("1.2.0", "2.0.0"), "platforms": ("linux_amd64",)})))
    registry.requests.clear()
    after = RegistryClient().read_listing("acme", "rocket", before)
    assert (after.newest, after.platforms, len(registry.requests)) == ("2.0.0", ("linux_amd64",), 3)


@pytest.mark.parametrize("status", [404, 500, 200])
def test_fields_of_the_internal_api_are_unknown_without_it(registry, status):
    registry.publish(ROCKET)
    registry.fail(status, b"[]", under="/v2/")
    listing = RegistryClient().read_listing("acme", "rocket")
    assert (listing.tier, listing.newest, listing.platforms) == ("partner", "1.2.0", ("linux_amd64", "darwin_arm64"))
    assert (listing.warning, listing.unlisted, listing.moved_to, listing.etag) == (None, None, None, "")


def test_number_of_the_repository_is_known_without_the_internal_api(registry):
    registry.publish(ROCKET)
    before = RegistryClient().read_listing("acme", "rocket")
    registry.fail(503, under="/v2/")
    assert RegistryClient().read_listing("acme", "rocket", before).repository_id == 4711
    moved = replace(before, source="https://github.com/acme/terraform-provider-other")
    assert RegistryClient().read_listing("acme", "rocket", moved).repository_id is None


def test_new_version_below_the_newest_has_platforms(registry):
    registry.publish(ROCKET)
    before = RegistryClient().read_listing("acme", "rocket")
    registry.publish(Provider(**(vars(ROCKET) | {"versions": ("1.0.0", "1.0.1", "1.2.0", "1.3.0-rc1")})))
    after = RegistryClient().read_listing("acme", "rocket", before)
    assert (after.newest, after.builds["1.0.1"]) == ("1.2.0", ("linux_amd64", "darwin_arm64"))


def test_missing_provider_is_not_found(registry):
    with pytest.raises(SourceNotFoundError, match="doesn't list acme/rocket"):
        RegistryClient().read_listing("acme", "rocket")


@pytest.mark.parametrize(
    ("status", "body", "refusal"),
    [
        (500, b"", SourceUnavailableError),
        (302, b"", SourceUnavailableError),
        (304, b"", SourceUnavailableError),
        (403, b"", AccessDeniedError),
        (200, b"<html>", SourceUnavailableError),
        (200, b"[]", SourceUnavailableError),
        (200, b'{"namespace": "acme"}', SourceUnavailableError),
        (200, b'{"namespace": 1, "name": 2, "version": 3, "source": 4}', SourceUnavailableError),
        (200, b"[" * 200_000, SourceUnavailableError),
    ],
)
def test_invalid_response_is_refused(registry, status, body, refusal):
    registry.fail(status, body)
    with pytest.raises(refusal):
        RegistryClient().read_listing("acme", "rocket")


def test_response_above_the_size_limit_is_unavailable(registry, monkeypatch):
    monkeypatch.setattr(source, "JSON", replace(source.JSON, limit=1000))
    registry.fail(200, b" " * 2000)
    with pytest.raises(SourceUnavailableError, match="size limit"):
        RegistryClient().read_listing("acme", "rocket")


def test_unreachable_registry_is_unavailable():
    with pytest.raises(SourceUnavailableError, match="Can't read acme/rocket"):
        RegistryClient("http://127.0.0.1:1").read_listing("acme", "rocket")


@pytest.mark.parametrize("path", ["/v1/providers/acme/rocket/versions", "/v1/providers/acme/rocket/1.2.0"])
@pytest.mark.parametrize(
    ("published_at", "error_class"),
    [
        ("2026-06-01T11:30:00Z", SourceUnavailableError),
        ("2026-06-01T10:30:00Z", MissingVersionError),
        ("", MissingVersionError),
        ("2026-06-01T11:30:00", MissingVersionError),
    ],
)
def test_listed_provider_without_its_version_is_not_missing(registry, time_machine, published_at, error_class, path):
    """A version that was just published can be missing in one of the two APIs. Later, waiting for it is in vain."""
    time_machine.move_to("2026-06-01T12:00:00Z")
    registry.publish(replace(ROCKET, published_at=published_at))
    registry.fail(404, under=path)
    with pytest.raises(error_class, match=r"lists acme/rocket 1\.2\.0, but doesn't return it"):
        RegistryClient().read_listing("acme", "rocket")


def test_names_are_escaped_in_the_url(registry):
    with pytest.raises(SourceNotFoundError):
        RegistryClient().read_listing("../../admin?x=", "a/b")
    assert registry.requests == [f"/{api}/providers/..%2F..%2Fadmin%3Fx%3D/a%2Fb" for api in ("v2", "v1")]


@pytest.mark.parametrize("value", [None, "", {}, {"full_name": "acme/rocket"}, [1]])
def test_invalid_stored_listing_is_ignored(value):
    assert load_listing(value) is None
