"""Tests of the checks of signing keys."""

from datetime import timedelta
from typing import Any

import pytest

from tests.fakes import signed
from tests.verification.checks.rules.release_checks import NOW, OTHER, results, rocket
from verification.checks.types import ACCEPTED_KEY_PREFIX
from verification.outcomes import Outcome

YEAR = 365 * 86400


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (200, ""),
        (300, "within 90 days"),
        (340, "within 30 days"),
        (360, "within a week"),
        (366, "expired on"),
    ],
)
def test_end_of_a_key_is_foretold(publish_releases, days, words):
    owner = signed.key("Acme <keys@acme.example>", YEAR)
    sources = publish_releases(rocket(signer=owner))
    check_results = results(sources, "keys.expiry", now=NOW + timedelta(days=days, minutes=-5))["keys.expiry"]
    assert (str(check_results.outcome), words in check_results.summary) == ("warn" if words else "pass", True)


def test_every_registered_key_is_looked_at(publish_releases):
    old = signed.key("Acme <keys@acme.example>", YEAR)
    sources = publish_releases(rocket(keys=[old, signed.key()]))
    check_results = results(sources, "keys.expiry", now=NOW + timedelta(days=364))["keys.expiry"]
    assert check_results.outcome == Outcome.WARN


def test_new_key_next_to_the_old_one_is_no_news(publish_releases):
    first = results(publish_releases(), "keys.rotation")["keys.rotation"]
    both = rocket("1.0.1", signer=signed.key(OTHER), keys=[signed.key(), signed.key(OTHER)])
    later = results(publish_releases(both), "keys.rotation", known=first.observations)["keys.rotation"]
    assert later.outcome == Outcome.PASS
    assert [one["version"] for one in later.observations["keys.signers"]] == ["1.0.0", "1.0.1"]


@pytest.mark.parametrize(("listing_status", "expected"), [("listed", "fail"), ("unlisted", "warn")])
def test_key_that_takes_the_place_of_the_old_one_is_for_people(publish_releases, listing_status, expected):
    first = results(publish_releases(), "keys.rotation")["keys.rotation"]
    swapped_release = rocket("1.0.1", signer=signed.key(OTHER))

    def after(days: int, observations: Any, signed_release: signed.Signed = swapped_release) -> Any:
        subject = {"known": observations, "listing_status": listing_status, "now": NOW + timedelta(days=days)}
        return results(publish_releases(signed_release), "keys.rotation", **subject)["keys.rotation"]

    second = after(1, first.observations)
    assert (str(second.outcome), "no longer registered" in second.summary) == (expected, True)
    assert after(20, second.observations).outcome == expected
    assert after(40, second.observations).outcome == ("fail" if listing_status == "listed" else "pass")
    assert ("new key", second.observations["keys.signers"][-1]["fingerprint"]) in second.inspected_revisions
    accepted_deviation = {f"{ACCEPTED_KEY_PREFIX}keys.rotation": second.observations["keys.signers"][-1]["fingerprint"]}
    assert after(2, second.observations | accepted_deviation).outcome == Outcome.PASS
    explained_release = rocket("1.0.1", signer=signed.key(OTHER), keys=[signed.key(OTHER), signed.key()])
    assert after(2, second.observations, explained_release).outcome == Outcome.PASS


@pytest.mark.parametrize(
    ("owner", "expected"),
    [
        ("Acme Releases <releases@acme.example>", "pass"),
        ("Bob Bolt <bob.bolt@gmail.com>", "warn"),
        ("Bob Bolt <1+bob@users.noreply.github.com>", "warn"),
        ("Bob Bolt", "warn"),
    ],
)
def test_key_of_a_person(publish_releases, owner, expected):
    sources = publish_releases(rocket(signer=signed.key(owner)))
    assert results(sources, "keys.personal")["keys.personal"].outcome == expected
