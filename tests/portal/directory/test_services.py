"""Tests that each row of the directory follows its integration immediately and contains only public data."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from integrations.partners.services import profiles
from integrations.sla import metrics
from integrations.sla.models import MonitoredRepository, SlaBreach
from integrations.submissions.models import Integration
from integrations.submissions.services import creation, documents, requirements
from integrations.submissions.services.transitions import perform_transition
from portal.core.uploads import validate_file
from portal.directory import services
from portal.directory.models import Listing, ListingChange
from portal.directory.observed_versions import ObservedVersions, merge_versions
from portal.directory.support_metrics import get_support_metrics
from tests.integrations.sla.rows import create_clock_row, create_issue_row
from tests.portal.core.test_uploads import build_png
from verification.checks.services import observations
from verification.sources.published_versions import RegistryListing

pytestmark = pytest.mark.any_database

LOGO = "NO-8-LOGO"


@pytest.fixture
def listed_integration(integration_at: Any) -> Integration:
    return integration_at("support")


def list_changes(row: Integration) -> list[tuple[str, str]]:
    return list(ListingChange.objects.filter(listing=row.pk).order_by("pk").values_list("kind", "summary"))


def get_listing(row: Integration) -> Listing:
    return Listing.objects.get(pk=row.pk)


def reload(row: Integration) -> Integration:
    return Integration.objects.get(pk=row.pk)


def test_unlisted_integration_has_no_row(integration_at: Any) -> None:
    integration_at("review")
    assert Listing.objects.count() == 0


def test_release_creates_a_row_and_one_event(listed_integration: Integration) -> None:
    listing_row = get_listing(listed_integration)
    assert (listing_row.name, listing_row.publisher, listing_row.program, listing_row.listing_status) == (
        "Rocket",
        "Acme",
        "nomad",
        "listed",
    )
    assert list_changes(listed_integration) == [("new", "Listed by the Nomad program.")]


def test_notice_changes_nothing_public(listed_integration: Integration, rita: Any, now: Any) -> None:
    before = get_listing(listed_integration)
    perform_transition(listed_integration, "issue_notice", actor=rita, note="Issue 7.", now=now)
    after = get_listing(listed_integration)
    assert (after.listing_status, after.listing_status_since, after.changed_at) == ("listed", None, before.changed_at)
    assert len(list_changes(listed_integration)) == 1


def test_suspension_is_public_and_removes_the_tier(
    listed_integration: Integration, rita: Any, rob: Any, now: Any
) -> None:
    MonitoredRepository.objects.update(data_up_to=now + timedelta(days=99))
    perform_transition(listed_integration, "issue_notice", actor=rita, note="Issue 7.", now=now)
    perform_transition(listed_integration, "suspend", actor=rob, note="Nothing was done.", now=now + timedelta(days=31))
    assert (get_listing(listed_integration).listing_status, get_listing(listed_integration).tier) == ("suspended", "")
    assert list_changes(listed_integration)[-1][0] == "suspended"
    assert services.find_drift(reload(listed_integration), get_listing(listed_integration)) == []


def test_downgrade_to_community_is_reported_as_a_change(listed_integration: Integration, alice: Any, now: Any) -> None:
    perform_transition(listed_integration, "downgrade_to_community", actor=alice, now=now)
    description = "The partner ended its support commitment. Published versions stay available."
    assert list_changes(listed_integration)[-1] == ("changed", description)


@pytest.mark.every_database
def test_end_of_support_is_reported_in_feeds(listed_integration: Integration, alice: Any, now: Any) -> None:
    perform_transition(listed_integration, "archive", actor=alice, note="Replaced.", now=now)
    assert get_listing(listed_integration).listing_status == "ended"
    assert list_changes(listed_integration)[-1] == ("ended", "The partner ended support.")
    assert services.find_drift(reload(listed_integration), get_listing(listed_integration)) == []


@pytest.mark.every_database
def test_texts_names_and_logos_are_updated_immediately(listed_integration: Integration, alice: Any, now: Any) -> None:
    requirements.submit_answer(listed_integration, "NO-8-LIST", {"text": "Flies.\nFar."}, actor=alice, now=now)
    documents.upload_document(
        listed_integration,
        LOGO,
        validate_file(SimpleUploadedFile("l.png", build_png()), ("png",)),
        actor=alice,
        now=now,
    )
    creation.change_description(reload(listed_integration), {"name": "Zündung"}, actor=alice, now=now)
    listing_row = get_listing(listed_integration)
    assert (listing_row.summary, listing_row.has_logo, listing_row.name, listing_row.name_plain) == (
        "Flies.",
        True,
        "Zündung",
        "zundung",
    )
    assert [change_text for _, change_text in list_changes(listed_integration)[1:]] == [
        "The publisher changed the description.",
        "The name changed from Rocket to Zündung.",
    ]
    assert services.find_drift(reload(listed_integration), listing_row) == []


def test_loss_of_the_tier_is_reported(listed_integration: Integration, now: Any) -> None:
    row = reload(listed_integration)
    row.tier = ""
    services.refresh_listing(row, now)
    assert list_changes(listed_integration)[-1] == ("changed", "The integration no longer has a tier.")


def test_renamed_partner_is_renamed_in_all_rows(
    listed_integration: Integration, acme: Any, alice: Any, now: Any
) -> None:
    profiles.change_profile(acme, name="Apex", website="", actor=alice, now=now)
    assert get_listing(listed_integration).publisher == "Apex"
    assert services.find_drift(reload(listed_integration), get_listing(listed_integration)) == []


@pytest.mark.every_database
def test_rebuild_creates_missing_rows_and_then_changes_nothing(
    listed_integration: Integration, alice: Any, now: Any
) -> None:
    perform_transition(listed_integration, "archive", actor=alice, note="Replaced.", now=now + timedelta(days=1))
    Listing.objects.all().delete()
    with pytest.raises(CommandError):
        call_command("rebuild_directory", "--check")
    call_command("rebuild_directory")
    call_command("rebuild_directory", "--check")
    assert [kind for kind, _ in list_changes(listed_integration)] == ["new", "ended"]
    Listing.objects.update(tier="premier")
    with pytest.raises(CommandError):
        call_command("rebuild_directory", "--check")


def test_rows_missing_after_an_upgrade_are_created_by_the_job(listed_integration: Integration, now: Any) -> None:
    Listing.objects.all().delete()
    assert services.refresh_due_listings(now) == 1
    assert services.find_drift(reload(listed_integration), get_listing(listed_integration)) == []
    assert services.refresh_due_listings(now) == 0


def build_listing(version: str, *platforms: str) -> dict[str, Any]:
    registry_listing = RegistryListing(
        "acme/rocket",
        "https://github.com/acme/rocket",
        "partner",
        ("0.9.0", version, "0.10.0"),
        version,
        platforms,
        builds={"0.10.0": ("linux_arm",)},
    )
    return {"registry": registry_listing.as_dict()}


def test_versions_and_platforms_are_updated_within_the_hour(listed_integration: Integration, now: Any) -> None:
    observations.store_observation(listed_integration, "registry.listed", build_listing("1.0.0", "linux_amd64"), now)
    kept_at = get_listing(listed_integration).figures_at
    assert services.refresh_due_listings(kept_at + timedelta(minutes=59)) == 0
    assert services.refresh_due_listings(kept_at + timedelta(minutes=61)) == 1
    later = now + timedelta(days=1)
    observations.store_observation(
        listed_integration, "registry.listed", build_listing("1.1.0", "linux_amd64", "darwin_arm64"), later
    )
    services.refresh_due_listings(later + timedelta(hours=2))
    listing_row = get_listing(listed_integration)
    assert [(each["version"], each["platforms"]) for each in listing_row.versions] == [
        ("1.1.0", ["linux_amd64", "darwin_arm64"]),
        ("0.10.0", ["linux_arm"]),
        ("0.9.0", None),
    ]
    assert listing_row.platforms == " darwin_arm64 linux_amd64 "
    assert list_changes(listed_integration)[-1] == ("changed", "Version 1.1.0 was released.")


def test_listing_has_room_for_a_long_version(listed_integration: Integration, now: Any) -> None:
    version = f"1.0.0-{'a' * 100}"
    observations.store_observation(listed_integration, "registry.listed", build_listing(version, "linux_amd64"), now)
    services.refresh_due_listings(now + timedelta(hours=2))
    Listing._meta.get_field("version").run_validators(version)  # SQLite does not enforce the length
    assert get_listing(listed_integration).version == version


def test_hidden_listing_is_refreshed_without_a_public_change(listed_integration: Integration, now: Any) -> None:
    observations.store_observation(listed_integration, "registry.listed", build_listing("1.0.0", "linux_amd64"), now)
    services.refresh_due_listings(now + timedelta(hours=2))
    Listing.objects.update(is_public=False)
    later = now + timedelta(days=1)
    observations.store_observation(listed_integration, "registry.listed", build_listing("1.1.0", "linux_amd64"), later)
    assert services.refresh_due_listings(later + timedelta(hours=2)) == 1
    assert services.refresh_due_listings(later + timedelta(hours=2)) == 0
    assert Listing.all_objects.get().version == "1.1.0"
    Listing.all_objects.update(is_public=True)
    assert list_changes(listed_integration) == [("new", "Listed by the Nomad program.")]


def test_faulty_listing_does_not_stop_the_refresh_of_others(
    listed_integration: Integration, integration_at: Any, now: Any
) -> None:
    other = integration_at("support", name="Shuttle")
    for integration in (listed_integration, other):
        observations.store_observation(integration, "registry.listed", build_listing("1.0.0", "linux_amd64"), now)
    Listing.objects.filter(pk=listed_integration.pk).update(versions=[{}])
    assert services.refresh_due_listings(now + timedelta(hours=2)) == 1
    assert (get_listing(other).version, get_listing(listed_integration).version) == ("1.0.0", "")


@pytest.mark.every_database
def test_version_that_is_newest_again_is_not_new(listed_integration: Integration, now: Any) -> None:
    for day, version in enumerate(("0.10.0", "1.1.0", "0.10.0")):
        later = now + timedelta(days=day)
        observations.store_observation(
            listed_integration, "registry.listed", build_listing(version, "linux_amd64"), later
        )
        services.refresh_due_listings(later + timedelta(hours=2))
    assert [change_text for _, change_text in list_changes(listed_integration)[-2:]] == [
        "Version 1.1.0 was released.",
        "Version 0.10.0 is the latest version again.",
    ]


def test_prerelease_is_listed_above_the_newest_version(listed_integration: Integration, now: Any) -> None:
    registry_listing = RegistryListing(
        "acme/rocket",
        "https://github.com/acme/rocket",
        "partner",
        ("1.0.0", "1.1.0-rc1"),
        "1.0.0",
        ("linux_amd64",),
        builds={"1.1.0-rc1": ("windows_amd64",)},
    )
    observations.store_observation(listed_integration, "registry.listed", {"registry": registry_listing.as_dict()}, now)
    services.refresh_metrics(Listing.objects.all(), now)
    row = get_listing(listed_integration)
    assert [each["version"] for each in row.versions] == ["1.1.0-rc1", "1.0.0"]
    assert (row.version, row.platforms) == ("1.0.0", " linux_amd64 ")


@pytest.mark.every_database
def test_records_in_bulk_equal_single_records(listed_integration: Integration, now: Any) -> None:
    monitored_repository = MonitoredRepository.objects.get(integration=listed_integration)
    for number in range(1, 5):
        issue = create_issue_row(monitored_repository, number, now + timedelta(hours=1))
        state = {"state": "met", "stopped_at": now + timedelta(hours=10 + number), "next_at": None}
        create_clock_row(issue, now + timedelta(days=2), **state)
    late = create_issue_row(monitored_repository, 9, now)
    of = {"issue": late, "integration": listed_integration, "target_type": "resolve", "severity": "other"}
    clock = create_clock_row(late, now + timedelta(days=1), state="overdue", next_at=None)
    SlaBreach.objects.create(clock=clock, due_at=now + timedelta(days=1), found_at=now, **of)
    moment = now + timedelta(days=3)
    scope = metrics.MetricsScope(integration_id=listed_integration.pk)
    one = metrics.get_metrics(scope, moment - timedelta(days=90), moment, moment)
    many = get_support_metrics([listed_integration.pk], moment)[listed_integration.pk]
    assert (many["on_time_share"], many["settled_count"]) == (one.share, one.settled_count)
    assert (many["on_time_share"], many["settled_count"], many["rank"]) == (80.0, 5, 800)


def test_record_has_the_times_of_both_clocks_and_unmeasurable_ones(listed_integration: Integration, now: Any) -> None:
    monitored_repository = MonitoredRepository.objects.get(integration=listed_integration)
    due_at = now + timedelta(days=2)
    for number, (target_type, hours) in enumerate([("respond", 2), ("respond", 5), ("resolve", 30)], 1):
        state = {"state": "met", "stopped_at": now, "next_at": None, "counted_seconds": hours * 3600}
        create_clock_row(create_issue_row(monitored_repository, number, now), due_at, target_type=target_type, **state)
    create_clock_row(create_issue_row(monitored_repository, 9, now), due_at, state="data_incomplete", next_at=None)
    record = get_support_metrics([listed_integration.pk], now + timedelta(days=3))[listed_integration.pk]
    times = (
        record["median_hours"],
        record["response_count"],
        record["median_resolution_hours"],
        record["resolution_count"],
    )
    assert times == (3.5, 2, 30.0, 1)
    assert (record["on_time_share"], record["settled_count"], record["data_incomplete"]) == (100.0, 3, 1)


def test_removed_versions_stay_unless_the_registry_withdraws_them() -> None:
    before = [{"version": "1.0.0", "platforms": ["linux_amd64"], "since": "2026-01-02"}]
    newest = {"version": "1.1.0", "platforms": None, "since": ""}
    assert merge_versions(before, ObservedVersions("1.1.0", ("1.1.0",))) == [newest, *before]
    platforms = {"1.1.0": ("windows_amd64",)}
    observed_versions = ObservedVersions("1.1.0", ("1.1.0",), "acme/rocket", "2026-02-03", platforms)
    listed = [{"version": "1.1.0", "platforms": ["windows_amd64"], "since": "2026-02-03"}]
    assert merge_versions(before, observed_versions) == listed
