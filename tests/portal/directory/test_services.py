"""Each row of the directory follows from its integration, at once, and tells everyone no more than they may know."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from integrations.partners.services import profiles
from integrations.sla import metrics
from integrations.sla.models import Breach, Watch
from integrations.submissions.models import Integration
from integrations.submissions.services import creation, documents, requirements
from integrations.submissions.services.transitions import perform
from portal.core.uploads import examine
from portal.directory import services
from portal.directory.models import Listing, ListingChange
from portal.directory.observed_versions import Seen, grown
from portal.directory.support_metrics import support_of
from tests.integrations.sla.clocks import clock_of, issue_of
from tests.portal.core.test_uploads import png
from verification.checks.services import observations
from verification.sources.published_versions import Published

TEXT, LOGO = "NO-8-LIST", "NO-8-LOGO"


@pytest.fixture
def listed(at: Any) -> Integration:
    return at("support")


def changes(row: Integration) -> list[tuple[str, str]]:
    return list(ListingChange.objects.filter(listing=row.pk).order_by("pk").values_list("kind", "said"))


def row_of(row: Integration) -> Listing:
    return Listing.objects.get(pk=row.pk)


def fresh(row: Integration) -> Integration:
    return Integration.objects.get(pk=row.pk)


def test_what_was_never_listed_has_no_row(at: Any) -> None:
    at("review")
    assert Listing.objects.count() == 0


def test_a_release_makes_a_row_and_tells_once(listed: Integration) -> None:
    found = row_of(listed)
    assert (found.name, found.publisher, found.program, found.standing) == ("Rocket", "Acme", "nomad", "listed")
    assert changes(listed) == [("new", "Listed by the Nomad program.")]


def test_a_notice_is_told_to_nobody(listed: Integration, rita: Any, now: Any) -> None:
    before = row_of(listed)
    perform(listed, "give_notice", by=rita, note="Issue 7.", now=now)
    after = row_of(listed)
    assert (after.standing, after.standing_since, after.changed_at) == ("listed", None, before.changed_at)
    assert len(changes(listed)) == 1


def test_a_suspension_is_told_and_takes_the_tier(listed: Integration, rita: Any, rob: Any, now: Any) -> None:
    Watch.objects.update(data_up_to=now + timedelta(days=99))
    perform(listed, "give_notice", by=rita, note="Issue 7.", now=now)
    perform(listed, "suspend", by=rob, note="Nothing was done.", now=now + timedelta(days=31))
    assert (row_of(listed).standing, row_of(listed).tier) == ("suspended", "")
    assert changes(listed)[-1][0] == "suspended"
    assert services.drift(fresh(listed), row_of(listed)) == []


def test_an_end_of_support_is_told_as_removed(listed: Integration, alice: Any, now: Any) -> None:
    perform(listed, "archive", by=alice, note="Replaced.", now=now)
    assert row_of(listed).standing == "ended"
    assert changes(listed)[-1] == ("removed", "Its company has ended its support.")
    assert services.drift(fresh(listed), row_of(listed)) == []


def test_texts_names_and_pictures_follow_at_once(listed: Integration, alice: Any, now: Any) -> None:
    requirements.answer(listed, TEXT, {"text": "Flies.\nFar."}, by=alice, now=now)
    documents.upload(listed, LOGO, examine(SimpleUploadedFile("l.png", png()), ("png",)), by=alice, now=now)
    creation.change_facts(fresh(listed), {"name": "Zündung"}, by=alice, now=now)
    found = row_of(listed)
    assert (found.summary, found.has_logo, found.name, found.name_plain) == ("Flies.", True, "Zündung", "zundung")
    assert [said for _, said in changes(listed)[1:]] == [
        "Its publisher describes it anew.",
        "Its name is Zündung; it was Rocket.",
    ]
    assert services.drift(fresh(listed), found) == []


def test_a_company_that_is_renamed_is_renamed_in_all_rows(listed: Integration, acme: Any, alice: Any, now: Any) -> None:
    profiles.change(acme, name="Apex", website="", by=alice, now=now)
    assert row_of(listed).publisher == "Apex"
    assert services.drift(fresh(listed), row_of(listed)) == []


def test_a_rebuild_makes_what_is_missing_and_then_drifts_no_more(listed: Integration, alice: Any, now: Any) -> None:
    perform(listed, "archive", by=alice, note="Replaced.", now=now + timedelta(days=1))
    Listing.objects.all().delete()
    with pytest.raises(CommandError):
        call_command("rebuild_directory", "--check")
    call_command("rebuild_directory")
    call_command("rebuild_directory", "--check")
    assert [kind for kind, _ in changes(listed)] == ["new", "removed"]
    Listing.objects.update(tier="premier")
    with pytest.raises(CommandError):
        call_command("rebuild_directory", "--check")


def test_rows_that_an_upgrade_finds_missing_are_made_by_the_sweep(listed: Integration, now: Any) -> None:
    Listing.objects.all().delete()
    assert services.refresh_due(now) == 1
    assert services.drift(fresh(listed), row_of(listed)) == []
    assert services.refresh_due(now) == 0


def published(version: str, *platforms: str) -> dict[str, Any]:
    found = Published(
        "acme/rocket", "https://github.com/acme/rocket", "partner", ("0.9.0", version, "0.10.0"), version, platforms,
        builds={"0.10.0": ("linux_arm",)},
    )  # fmt: skip
    return {"registry": found.as_dict()}


def test_versions_and_platforms_follow_within_the_hour(listed: Integration, now: Any) -> None:
    observations.remember(listed, "registry.listed", published("1.0.0", "linux_amd64"), now)
    kept_at = row_of(listed).figures_at
    assert services.refresh_due(kept_at + timedelta(minutes=59)) == 0
    assert services.refresh_due(kept_at + timedelta(minutes=61)) == 1
    later = now + timedelta(days=1)
    observations.remember(listed, "registry.listed", published("1.1.0", "linux_amd64", "darwin_arm64"), later)
    services.refresh_due(later + timedelta(hours=2))
    found = row_of(listed)
    assert [(each["version"], each["platforms"]) for each in found.versions] == [
        ("1.1.0", ["linux_amd64", "darwin_arm64"]), ("0.10.0", ["linux_arm"]), ("0.9.0", None),
    ]  # fmt: skip
    assert found.platforms == " darwin_arm64 linux_amd64 "
    assert changes(listed)[-1] == ("changed", "Version 1.1.0 is out.")


def test_a_version_that_is_the_newest_again_is_not_told_as_new(listed: Integration, now: Any) -> None:
    for day, version in enumerate(("0.10.0", "1.1.0", "0.10.0")):
        later = now + timedelta(days=day)
        observations.remember(listed, "registry.listed", published(version, "linux_amd64"), later)
        services.refresh_due(later + timedelta(hours=2))
    assert [said for _, said in changes(listed)[-2:]] == [
        "Version 1.1.0 is out.",
        "Version 0.10.0 is the newest again.",
    ]


def test_a_version_before_a_release_stands_above_the_newest_and_is_not_it(listed: Integration, now: Any) -> None:
    found = Published("acme/rocket", "https://github.com/acme/rocket", "partner", ("1.0.0", "1.1.0-rc1"), "1.0.0",
                      ("linux_amd64",), builds={"1.1.0-rc1": ("windows_amd64",)})  # fmt: skip
    observations.remember(listed, "registry.listed", {"registry": found.as_dict()}, now)
    services.read_again(Listing.objects.all(), now)
    row = row_of(listed)
    assert [each["version"] for each in row.versions] == ["1.1.0-rc1", "1.0.0"]
    assert (row.version, row.platforms) == ("1.0.0", " linux_amd64 ")


def test_the_record_of_many_is_the_record_of_one(listed: Integration, now: Any) -> None:
    watch = Watch.objects.get(integration=listed)
    for number in range(1, 5):
        issue = issue_of(watch, number, now + timedelta(hours=1))
        state = {"state": "met", "stopped_at": now + timedelta(hours=10 + number), "next_at": None}
        clock_of(issue, now + timedelta(days=2), **state)
    late = issue_of(watch, 9, now)
    of = {"issue": late, "integration": listed, "verb": "resolve", "severity": "other"}
    clock = clock_of(late, now + timedelta(days=1), state="overdue", next_at=None)
    Breach.objects.create(clock=clock, due_at=now + timedelta(days=1), found_at=now, **of)
    moment = now + timedelta(days=3)
    one = metrics.record(metrics.Scope(integration_id=listed.pk), moment)
    many = support_of([listed.pk], moment)[listed.pk]
    assert (many.share, many.settled, many.median_hours, many.answers) == (
        one["share"], one["settled"], one["median_hours"], one["answers"],
    )  # fmt: skip
    assert (many.share, many.settled, many.rank) == (80.0, 5, 800)


def test_versions_that_a_release_no_longer_names_stay_known_and_what_a_registry_takes_back_goes() -> None:
    before = [{"version": "1.0.0", "platforms": ["linux_amd64"], "since": "2026-01-02"}]
    newest = {"version": "1.1.0", "platforms": None, "since": ""}
    assert grown(before, Seen("1.1.0", ("1.1.0",))) == [newest, *before]
    known = Seen("1.1.0", ("1.1.0",), ("windows_amd64",), "acme/rocket", "2026-02-03")
    assert grown(before, known) == [{"version": "1.1.0", "platforms": ["windows_amd64"], "since": "2026-02-03"}]
