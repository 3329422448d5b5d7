"""Tests that secrets of second factors are encrypted at rest and survive a change of keys."""

from io import StringIO
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from allauth.mfa.utils import decrypt
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from portal.accounts.models import User
from tests.conftest import PASSWORD
from tests.integrations.page_text import find_text
from tests.portal.accounts.sign_in import generate_code

pytestmark = pytest.mark.any_database

SECRET = "JBSWY3DPEHPK3PXP"


def read_stored_text() -> str:
    """Return the stored text of the table of second factors."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT data FROM mfa_authenticator ORDER BY id")
        return repr(cursor.fetchall())


def submit_code(user: User, code: str) -> Any:
    client = Client()
    client.post("/accounts/login/", {"login": user.email, "password": PASSWORD})
    return client.post("/accounts/2fa/authenticate/", {"code": code})


def test_no_secret_is_stored_as_plain_text(alice: User) -> None:
    TOTP.activate(alice, SECRET)
    codes = RecoveryCodes.activate(alice)
    seed = decrypt(codes.instance.data["seed"])
    plain = [SECRET, seed, *codes.get_unused_codes()]
    assert [text for text in plain if text in read_stored_text()] == []
    assert submit_code(alice, generate_code(SECRET)).status_code == 302


def test_rotated_key_still_decrypts(alice: User, settings: Any) -> None:
    settings.ENCRYPTION_KEYS = ["old"]
    TOTP.activate(alice, SECRET)
    unused_codes = RecoveryCodes.activate(alice).get_unused_codes()
    settings.ENCRYPTION_KEYS = ["new", "old"]
    assert submit_code(alice, generate_code(SECRET)).status_code == 302
    assert submit_code(alice, unused_codes[0]).status_code == 302


def test_old_key_is_not_needed_after_rotation(alice: User, settings: Any) -> None:
    settings.ENCRYPTION_KEYS = ["old"]
    TOTP.activate(alice, SECRET)
    unused_codes = RecoveryCodes.activate(alice).get_unused_codes()
    settings.ENCRYPTION_KEYS = ["new", "old"]
    output = StringIO()
    call_command("rotate_encryption_keys", stdout=output)
    settings.ENCRYPTION_KEYS = ["new"]
    assert "Re-encrypted authenticators: 2.\nAll secrets use the newest key.\n" in output.getvalue()
    assert submit_code(alice, generate_code(SECRET)).status_code == 302
    row = Authenticator.objects.get(user=alice, type="recovery_codes")
    assert RecoveryCodes(row).get_unused_codes() == unused_codes


def test_rotation_leaves_passkeys_and_current_secrets_alone(alice: User) -> None:
    TOTP.activate(alice, SECRET)
    Authenticator.objects.create(user=alice, type="webauthn", data={"name": "Key"})
    before = read_stored_text()
    output = StringIO()
    call_command("rotate_encryption_keys", stdout=output)
    assert "Re-encrypted authenticators: 0." in output.getvalue().splitlines()
    assert read_stored_text() == before


def test_lost_key_is_named_and_no_code_is_accepted(alice: User, settings: Any) -> None:
    settings.ENCRYPTION_KEYS = ["lost"]
    TOTP.activate(alice, SECRET)
    settings.ENCRYPTION_KEYS = ["new"]
    answer = submit_code(alice, generate_code(SECRET))
    assert answer.status_code == 403
    assert "The portal can't read your second factor" in find_text(answer)
    with pytest.raises(CommandError, match=f"No configured key decrypts: TOTP Authenticator of {alice.email}"):
        call_command("rotate_encryption_keys", stdout=StringIO())
