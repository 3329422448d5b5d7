import pytest

from tests.verification.releases.artifacts.keyring import build_trust_signature
from verification.releases.artifacts import key_trust
from verification.releases.artifacts.key_trust import Level
from verification.releases.artifacts.keyrings import read_armored

NOW = 1.8e9
CUT = "error verifying trust signature: unexpected EOF"
BEGIN = "-----BEGIN PGP SIGNATURE-----"


def build_trust_error(why):
    return f"error verifying trust signature: openpgp: {why}"


@pytest.mark.parametrize(
    ("make", "level", "message"),
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
        (lambda keys: "no armour", Level.BROKEN, "error decoding trust signature: EOF"),
        (lambda keys: build_trust_signature(keys)[:150], Level.BROKEN, CUT),
        (lambda keys: f"{BEGIN}\n\n!\n-----END PGP SIGNATURE-----", Level.BROKEN, CUT),
        (lambda keys: " ", Level.BROKEN, "error decoding trust signature: EOF"),
    ],
)
def test_trust_signature(keyring, make, level, message):
    trust_verdict = key_trust.judge(
        keyring.fingerprint("good"), keyring.export("good"), make(keyring), lambda: keyring.export("partner"), now=NOW
    )
    assert (trust_verdict.level, trust_verdict.terraform.accepts, trust_verdict.terraform.message) == (
        level,
        not message,
        message,
    )


def test_key_for_partners_is_the_published_one():
    (key,) = read_armored(key_trust.partners())
    assert key.primary.fingerprint == key_trust.PARTNERS
    assert (key.primary.label, key.expires_at, key.revocations) == ("RSA 4096", None, [])


def test_key_of_hashicorp_is_official():
    (fingerprint,) = key_trust.OFFICIAL
    assert key_trust.judge(fingerprint, b"", "", now=NOW).level == Level.OFFICIAL
