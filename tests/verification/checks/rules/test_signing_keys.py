"""Tests of the checks of signing keys."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tests.conform.signature_mutations import add_armor
from tests.fakes import signed_releases
from tests.verification.checks.rules.release_checks import NOW, OTHER_OWNER, build_rocket_release, run_release_check
from tests.verification.releases.artifacts import openpgp
from verification.checks.types import ACCEPTED_KEY_PREFIX
from verification.outcomes import Evidence, Outcome

YEAR = 365 * 86400


@pytest.mark.parametrize(
    ("days", "text"),
    [
        (200, ""),
        (300, "within 90 days"),
        (340, "within 30 days"),
        (360, "within a week"),
        (366, "expired on"),
    ],
)
def test_expiring_key_is_a_warning(publish_releases, days, text):
    owner = signed_releases.build_key("Acme <keys@acme.example>", YEAR)
    sources = publish_releases(build_rocket_release(signer=owner))
    result = run_release_check("keys.expiry", sources, now=NOW + timedelta(days=days, minutes=-5))
    assert (str(result.outcome), text in result.summary) == ("warn" if text else "pass", True)


def test_every_registered_key_is_checked(publish_releases):
    old = signed_releases.build_key("Acme <keys@acme.example>", YEAR)
    sources = publish_releases(build_rocket_release(keys=[old, signed_releases.build_key()]))
    result = run_release_check("keys.expiry", sources, now=NOW + timedelta(days=364))
    assert result.outcome == Outcome.WARN


@pytest.mark.parametrize(
    ("is_signer", "outcome", "text"),
    [
        (True, "fail", "is revoked, and it signed the newest release. Terraform refuses to install it."),
        (False, "warn", "is revoked. Terraform refuses to install the releases that it signed."),
    ],
)
def test_revoked_key_is_reported(publish_releases, is_signer, outcome, text):
    key = signed_releases.build_key("Acme <keys@acme.example>")
    release = build_rocket_release(signer=key if is_signer else None)
    other_keys = () if is_signer else release.keys
    sources = publish_releases(replace(release, keys=(signed_releases.revoke_key(key), *other_keys)))
    # The key is revoked at the time of the test, which can be long after this module was imported.
    result = run_release_check("keys.expiry", sources, now=NOW + timedelta(days=1))
    key_id = key.extract_certificate().fingerprint.upper()[-16:]
    assert (str(result.outcome), result.summary) == (outcome, f"The key {key_id} {text}")
    assert result.evidence[0] == Evidence(f"Key {key_id}", "revoked")


def test_all_keys_share_the_limit_of_self_signatures(publish_releases):
    """The first key uses a part of the limit, and the second one the rest, so the third isn't read."""
    release = build_rocket_release()
    large_keys = [add_armor(openpgp.build_key(certifications=count)) for count in (300, 301)]
    sources = publish_releases(replace(release, keys=(*large_keys, *release.keys)))
    result = run_release_check("keys.registered", sources)
    assert (result.outcome, [item.label for item in result.evidence]) == ("fail", ["Registered", "Terraform"])


def test_key_above_the_limit_is_not_called_unregistered(publish_releases):
    """The registered key that signed the last release comes after one that uses up the limit."""
    first = run_release_check("keys.rotation", publish_releases())
    other_key = signed_releases.build_key(OTHER_OWNER)
    release = build_rocket_release("1.0.1", signer=other_key, keys=[other_key, signed_releases.build_key()])
    large_key = add_armor(openpgp.build_key(certifications=501))
    sources = publish_releases(replace(release, keys=(release.keys[0], large_key, release.keys[1])))
    results = [
        run_release_check(key, sources, known=first.observations, listing_status="listed")
        for key in ("keys.rotation", "keys.expiry")
    ]
    summary = "The registered keys have more self-signatures than we verify, so we couldn't read all of them."
    assert [(result.outcome, result.summary) for result in results] == [(Outcome.NOT_RUN, summary)] * 2


@pytest.mark.parametrize("key", ["keys.rotation", "keys.personal"])
def test_unread_signature_is_not_called_unregistered(publish_releases, key):
    release = build_rocket_release()
    del release.files[f"{release.prefix}_SHA256SUMS.sig"]
    result = run_release_check(key, publish_releases(release))
    reason = result.summary.partition(" Terraform reports: ")[0]
    assert (result.outcome, reason) == (Outcome.NOT_RUN, "There was nothing to check.")


def test_additional_key_passes(publish_releases):
    first = run_release_check("keys.rotation", publish_releases())
    both = build_rocket_release(
        "1.0.1",
        signer=signed_releases.build_key(OTHER_OWNER),
        keys=[signed_releases.build_key(), signed_releases.build_key(OTHER_OWNER)],
    )
    later = run_release_check("keys.rotation", publish_releases(both), known=first.observations)
    assert later.outcome == Outcome.PASS
    assert [one["version"] for one in later.observations["keys.signers"]] == ["1.0.0", "1.0.1"]


@pytest.mark.parametrize(
    ("listing_status", "expected"), [("listed", "fail"), ("on_notice", "fail"), ("unlisted", "warn")]
)
def test_replaced_key_is_decided_by_a_reviewer(publish_releases, listing_status, expected):
    first = run_release_check("keys.rotation", publish_releases())
    changed_release = build_rocket_release("1.0.1", signer=signed_releases.build_key(OTHER_OWNER))

    def check_after(
        days: int, observations: Any, signed_release: signed_releases.SignedRelease = changed_release
    ) -> Any:
        subject = {"known": observations, "listing_status": listing_status, "now": NOW + timedelta(days=days)}
        return run_release_check("keys.rotation", publish_releases(signed_release), **subject)

    second = check_after(1, first.observations)
    assert (str(second.outcome), "no longer registered" in second.summary) == (expected, True)
    assert check_after(20, second.observations).outcome == expected
    assert check_after(40, second.observations).outcome == ("pass" if listing_status == "unlisted" else "fail")
    assert ("new key", second.observations["keys.signers"][-1]["fingerprint"]) in second.inspected_revisions
    accepted_deviation = {f"{ACCEPTED_KEY_PREFIX}keys.rotation": second.observations["keys.signers"][-1]["fingerprint"]}
    assert check_after(2, second.observations | accepted_deviation).outcome == Outcome.PASS
    release_with_both_keys = build_rocket_release(
        "1.0.1",
        signer=signed_releases.build_key(OTHER_OWNER),
        keys=[signed_releases.build_key(OTHER_OWNER), signed_releases.build_key()],
    )
    assert check_after(2, second.observations, release_with_both_keys).outcome == Outcome.PASS


@pytest.mark.parametrize(
    ("owner", "expected"),
    [
        ("Acme Releases <releases@acme.example>", "pass"),
        ("Bob Bolt <bob.bolt@gmail.com>", "warn"),
        ("Bob Bolt <bob.bolt@gmx.at>", "warn"),
        ("Bob Bolt <1+bob@users.noreply.github.com>", "warn"),
        ("Bob Bolt", "warn"),
    ],
)
def test_key_of_a_person_is_a_warning(publish_releases, owner, expected):
    sources = publish_releases(build_rocket_release(signer=signed_releases.build_key(owner)))
    assert run_release_check("keys.personal", sources).outcome == expected
    # GitHub stores any text as the home page.
    assert run_release_check("keys.personal", sources, homepage="https://[docs").outcome == expected
