"""Tests of the checks that compare a release with earlier observations."""

from dataclasses import replace

import pytest

from tests.verification.checks.fake_sources import build_code_sources, build_snapshot
from tests.verification.checks.rules.release_checks import Sources, build_rocket_release, run_release_check
from verification.outcomes import Outcome


def test_replaced_archive_fails_by_its_digest(publish_releases):
    signed_release = build_rocket_release()
    first = run_release_check("release.unchanged", publish_releases(signed_release))
    assert (first.outcome, first.summary) == (Outcome.PASS, "4 files recorded for later comparison.")
    second = run_release_check("release.unchanged", publish_releases(signed_release), known=first.observations)
    assert (second.outcome, second.observations) == (Outcome.PASS, first.observations)
    other = build_rocket_release(protocols=("6.0",))  # another valid release of the same version
    sources = publish_releases(other, protocols=("6.0",))
    later = run_release_check("release.unchanged", sources, known=first.observations)
    assert (later.outcome, later.observations) == (Outcome.FAIL, first.observations)
    assert "was replaced after publication" in later.summary
    next_release = build_rocket_release("1.0.1", protocols=("6.0",))
    sources = publish_releases(next_release, protocols=("6.0",))
    latest = run_release_check("release.unchanged", sources, known=first.observations)
    assert (latest.outcome, set(latest.observations["release.digests"])) == (Outcome.PASS, {"1.0.0", "1.0.1"})


def test_new_signature_of_the_checksums_is_a_warning(publish_releases):
    first = run_release_check("release.unchanged", publish_releases())
    observations = {"release.digests": {"1.0.0": {**first.observations["release.digests"]["1.0.0"]}}}
    name = next(name for name in observations["release.digests"]["1.0.0"] if name.endswith(".sig"))
    observations["release.digests"]["1.0.0"][name] = "ab" * 32
    assert run_release_check("release.unchanged", publish_releases(), known=observations).outcome == Outcome.WARN


def test_outage_keeps_the_digests(publish_releases, registry_server):
    first = run_release_check("release.unchanged", publish_releases())
    sources = publish_releases()
    registry_server.fail(503, under="/files/acme/rocket/1.0.0/terraform-provider-rocket_1.0.0_linux")
    later = run_release_check("release.unchanged", sources, known=first.observations)
    assert (later.outcome, later.observations) == (Outcome.ERROR, first.observations)
    assert run_release_check("release.archive", sources, known=first.observations).outcome == Outcome.ERROR


def test_outage_of_one_file_records_the_digests_of_the_others(publish_releases, registry_server):
    signed_release = build_rocket_release()
    complete = run_release_check("release.unchanged", publish_releases(signed_release))
    sources = publish_releases(signed_release)
    registry_server.fail(503, under="/files/acme/rocket/1.0.0/terraform-provider-rocket_1.0.0_linux")
    first = run_release_check("release.unchanged", sources)
    digests = complete.observations["release.digests"]["1.0.0"]
    read_digests = {name: digest for name, digest in digests.items() if not name.endswith(".zip")}
    assert (first.outcome, first.observations) == (Outcome.ERROR, {"release.digests": {"1.0.0": read_digests}})


def test_lower_newest_version_fails(publish_releases):
    release = build_rocket_release("1.2.0")
    first = run_release_check("release.newest", publish_releases(release, build_rocket_release("1.10.0")))
    assert (first.outcome, first.observations) == (Outcome.PASS, {"release.newest": "1.10.0"})
    sources = publish_releases(release, build_rocket_release("1.9.0"))
    later = run_release_check("release.newest", sources, known=first.observations)
    assert (later.outcome, later.missing_item, later.observations) == (Outcome.FAIL, "the version 1.10.0", {})
    assert later.summary == "The registry's newest version is 1.9.0, but it was 1.10.0 before."


@pytest.mark.parametrize(
    ("known", "version", "outcome"),
    [
        ("2.0.0-beta1", "1.0.0", Outcome.PASS),
        ("1.0.0-rc1", "1.0.0", Outcome.PASS),
        ("1.0.0", "1.1.0-beta1", Outcome.FAIL),
    ],
)
def test_release_replaces_pre_releases_but_not_the_other_way(publish_releases, known, version, outcome):
    sources = publish_releases(build_rocket_release(version))
    assert run_release_check("release.newest", sources, known={"release.newest": known}).outcome == outcome


def test_moved_tag_fails():
    github = build_code_sources({})
    first = run_release_check("release.tag", Sources(None, github))
    assert (first.outcome, first.observations) == (Outcome.PASS, {"release.tags": {"v1.2.0": "9f3c1e"}})
    sources = Sources(None, replace(github, code_answer=replace(build_snapshot({}), commit="abcdef")))
    later = run_release_check("release.tag", sources, known=first.observations)
    assert (later.outcome, later.observations) == (Outcome.FAIL, first.observations)
