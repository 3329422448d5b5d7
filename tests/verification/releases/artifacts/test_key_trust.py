"""Tests of the trust levels that Terraform gives to signing keys."""

import pytest

from tests.verification.releases.artifacts.keyring import build_trust_signature
from verification.releases.artifacts import key_trust
from verification.releases.artifacts.key_trust import Level
from verification.releases.artifacts.keyrings import read_armored

NOW = 1.8e9
TRUNCATED = "error verifying trust signature: unexpected EOF"
BEGIN = "-----BEGIN PGP SIGNATURE-----"


def build_trust_error(reason):
    return f"error verifying trust signature: openpgp: {reason}"


@pytest.mark.parametrize(
    ("build", "level", "message"),
    [
        (lambda keys: "", Level.SELF, ""),
        (build_trust_signature, Level.PARTNER, ""),
        (
            lambda keys: build_trust_signature(keys, by="other"),
            Level.BROKEN,
            build_trust_error("signature made by unknown entity"),
        ),
        (
            lambda keys: build_trust_signature(keys, over="dsa"),
            Level.BROKEN,
            build_trust_error("invalid signature: RSA verification failure"),
        ),
        (lambda keys: "no armor", Level.BROKEN, "error decoding trust signature: EOF"),
        (lambda keys: build_trust_signature(keys)[:150], Level.BROKEN, TRUNCATED),
        (lambda keys: f"{BEGIN}\n\n!\n-----END PGP SIGNATURE-----", Level.BROKEN, TRUNCATED),
        (lambda keys: " ", Level.BROKEN, "error decoding trust signature: EOF"),
    ],
)
def test_trust_signature_sets_the_level(keyring, build, level, message):
    trust_verdict = key_trust.evaluate_trust(
        keyring.fingerprint("good"), keyring.export("good"), build(keyring), lambda: keyring.export("partner"), now=NOW
    )
    assert (trust_verdict.level, trust_verdict.terraform.accepts, trust_verdict.terraform.message) == (
        level,
        not message,
        message,
    )


def test_partner_key_has_the_published_fingerprint():
    (key,) = read_armored(key_trust.load_partner_key())
    assert key.primary.fingerprint == key_trust.PARTNER_KEY_FINGERPRINT
    assert (key.primary.label, key.expires_at, key.revocations) == ("RSA 4096", None, [])


def test_hashicorps_key_is_official():
    assert key_trust.evaluate_trust(key_trust.OFFICIAL_KEY_FINGERPRINT, b"", "", now=NOW).level == Level.OFFICIAL
