import pytest

from tests.verification.artefacts.keyring import vouched
from verification.artefacts import trust
from verification.artefacts.keyrings import read_armored
from verification.artefacts.trust import Level

NOW = 1.8e9
CUT = "error verifying trust signature: unexpected EOF"
BEGIN = "-----BEGIN PGP SIGNATURE-----"


def broken(why):
    return f"error verifying trust signature: openpgp: {why}"


@pytest.mark.parametrize(
    ("make", "level", "message"),
    [
        (lambda keys: "", Level.SELF, ""),
        (vouched, Level.PARTNER, ""),
        (lambda keys: vouched(keys, by="other"), Level.BROKEN, broken("signature made by unknown entity")),
        (lambda keys: vouched(keys, over="dsa"), Level.BROKEN, broken("invalid signature: RSA verification failure")),
        (lambda keys: "no armour", Level.BROKEN, "error decoding trust signature: EOF"),
        (lambda keys: vouched(keys)[:150], Level.BROKEN, CUT),
        (lambda keys: f"{BEGIN}\n\n!\n-----END PGP SIGNATURE-----", Level.BROKEN, CUT),
        (lambda keys: " ", Level.BROKEN, "error decoding trust signature: EOF"),
    ],
)  # fmt: skip
def test_trust_signature(keyring, make, level, message):
    found = trust.judge(
        keyring.fingerprint("good"), keyring.export("good"), make(keyring), lambda: keyring.export("partner"), now=NOW
    )
    assert (found.level, found.terraform.accepts, found.terraform.message) == (level, not message, message)


def test_key_for_partners_is_the_published_one():
    (key,) = read_armored(trust.partners())
    assert key.primary.fingerprint == trust.PARTNERS
    assert (key.primary.label, key.expires_at, key.revocations) == ("RSA 4096", None, [])


def test_key_of_hashicorp_is_official():
    (fingerprint,) = trust.OFFICIAL
    assert trust.judge(fingerprint, b"", "", now=NOW).level == Level.OFFICIAL
