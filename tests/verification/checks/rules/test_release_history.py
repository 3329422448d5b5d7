"""Tests of the checks that compare a release with what was seen before."""

from dataclasses import replace

from tests.verification.checks.fake_sources import code, release
from tests.verification.checks.rules.release_checks import GitHub, Sources, results, rocket
from verification.outcomes import Outcome


def test_archive_that_was_replaced_after_the_release_is_found_by_its_digest(publish_releases):
    signed_release = rocket()
    first = results(publish_releases(signed_release), "release.unchanged")["release.unchanged"]
    assert (first.outcome, first.summary) == (Outcome.PASS, "4 files recorded for later comparison.")
    again = results(publish_releases(signed_release), "release.unchanged", known=first.observations)[
        "release.unchanged"
    ]
    assert (again.outcome, again.observations) == (Outcome.PASS, first.observations)
    other = rocket(protocols=("6.0",))  # a whole new release under the same version, signed and sound in itself
    later = results(publish_releases(other, protocols=("6.0",)), "release.unchanged", known=first.observations)[
        "release.unchanged"
    ]
    assert (later.outcome, later.observations) == (Outcome.FAIL, first.observations)
    assert "was replaced after publication" in later.summary
    anew = rocket("1.0.1", protocols=("6.0",))
    healed_result = results(publish_releases(anew, protocols=("6.0",)), "release.unchanged", known=first.observations)[
        "release.unchanged"
    ]
    assert (healed_result.outcome, set(healed_result.observations["release.digests"])) == (
        Outcome.PASS,
        {"1.0.0", "1.0.1"},
    )


def test_list_that_was_signed_again_is_pointed_out(publish_releases):
    first = results(publish_releases(), "release.unchanged")["release.unchanged"]
    observations = {"release.digests": {"1.0.0": {**first.observations["release.digests"]["1.0.0"]}}}
    name = next(name for name in observations["release.digests"]["1.0.0"] if name.endswith(".sig"))
    observations["release.digests"]["1.0.0"][name] = "ab" * 32
    assert (
        results(publish_releases(), "release.unchanged", known=observations)["release.unchanged"].outcome
        == Outcome.WARN
    )


def test_outage_forgets_no_digest(publish_releases, registry_server):
    first = results(publish_releases(), "release.unchanged")["release.unchanged"]
    sources = publish_releases()
    registry_server.fail(503, under="/files/acme/rocket/1.0.0/terraform-provider-rocket_1.0.0_linux")
    later = results(sources, "release.unchanged", "release.archive", known=first.observations)
    assert later["release.unchanged"].observations == first.observations
    assert later["release.archive"].outcome == Outcome.ERROR


def test_version_that_was_reverted_is_a_step_back(publish_releases):
    first = results(publish_releases(rocket("1.2.0"), rocket("1.10.0")), "release.newest")["release.newest"]
    assert (first.outcome, first.observations) == (Outcome.PASS, {"release.newest": "1.10.0"})
    later = results(publish_releases(rocket("1.2.0"), rocket("1.9.0")), "release.newest", known=first.observations)[
        "release.newest"
    ]
    assert (later.outcome, later.missing_item, later.observations) == (Outcome.FAIL, "the version 1.10.0", {})
    assert later.summary == "The registry's newest version is 1.9.0, but it was 1.10.0 before."


def test_tag_that_moves_is_found():
    github = GitHub((release("v1.2.0"),), code({}))
    first = results(Sources(None, github), "release.tag")["release.tag"]
    assert (first.outcome, first.observations) == (Outcome.PASS, {"release.tags": {"v1.2.0": "9f3c1e"}})
    sources = Sources(None, replace(github, code_said=replace(code({}), commit="abcdef")))
    later = results(sources, "release.tag", known=first.observations)["release.tag"]
    assert (later.outcome, later.observations) == (Outcome.FAIL, first.observations)
