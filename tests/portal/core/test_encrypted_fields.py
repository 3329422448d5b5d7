"""Tests that one command rotates the key of every encrypted column."""

import subprocess
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.apps import apps
from django.conf import settings as configured
from django.core.management import CommandError, call_command
from django.db import models

from integrations.sla.models import GitHubDelivery, MonitoredRepository
from integrations.submissions.models import Integration, TestCredential
from portal.accounts import second_factor_secrets
from portal.accounts.models import User
from portal.api.models import IdempotencyRecord
from portal.core.crypto import Secret
from portal.core.encrypted_fields import EncryptedField, EncryptedRow, list_encrypted_fields
from portal.github_access.models import GitHubGrant
from portal.webhooks.models import WebhookEndpoint
from verification.schemas.models import ProviderSchema
from verification.sources.models import HttpCacheEntry
from verification.testruns.models import TestRun

pytestmark = pytest.mark.any_database

SECRET = Secret("c0rrect-h0rse-77")
PLAIN_COLUMNS = {(model, "body") for model in (GitHubDelivery, HttpCacheEntry, IdempotencyRecord, ProviderSchema)}
ENCRYPTING_MODULES = {
    "portal/core/encrypted_fields.py",
    "portal/accounts/second_factor_secrets.py",
    "portal/core/one_time_secrets.py",  # needs no rotation: a secret is shown within ten minutes
    "portal/core/sessions.py",  # needs no rotation: a session ends within seven days
    "portal/core/unsent_forms.py",  # needs no rotation: a form is kept for a day
}
BUILDERS: dict[type[EncryptedRow], Callable[[Integration, datetime], EncryptedRow]] = {
    GitHubGrant: lambda row, now: GitHubGrant(user=row.created_by, account_id=47, login="alice", granted_at=now),
    MonitoredRepository: lambda row, now: MonitoredRepository(integration=row, began_at=now, data_up_to=now),
    TestCredential: lambda row, now: TestCredential(integration=row, label="Test tenant", created_at=now),
    TestRun: lambda row, now: TestRun(integration=row, kind=TestRun.Kind.RUN_TASK, requested_at=now),
    WebhookEndpoint: lambda row, now: WebhookEndpoint(partner=row.partner, name="Build", created_at=now),
}
ENCRYPTED_MODELS = [model for model in apps.get_models() if issubclass(model, EncryptedRow)]


@pytest.fixture
def rows(rocket: Integration, now: datetime, settings: Any) -> list[EncryptedRow]:
    """Create one row of every model with encrypted columns, all encrypted with an older key."""
    settings.ENCRYPTION_KEYS = ["old"]
    built = [BUILDERS[model](rocket, now) for model in ENCRYPTED_MODELS]
    for row in built:
        for name in list_encrypted_fields(type(row)):
            row.encrypt(name, SECRET)
        row.save()
    return built


def test_rotation_reaches_every_encrypted_column(rows: list[EncryptedRow], settings: Any) -> None:
    settings.ENCRYPTION_KEYS = ["new", "old"]
    call_command("rotate_encryption_keys")
    settings.ENCRYPTION_KEYS = ["new"]
    for row in rows:
        row.refresh_from_db()
        names = list_encrypted_fields(type(row))
        assert {name: row.decrypt(name) for name in names} == dict.fromkeys(names, SECRET)


def test_rotation_reaches_second_factors(alice: User, settings: Any) -> None:
    settings.ENCRYPTION_KEYS = ["old"]
    for field, kind in (("secret", "totp"), ("seed", "recovery_codes")):
        data = {field: second_factor_secrets.encrypt(SECRET.value)}
        Authenticator.objects.create(user=alice, type=kind, data=data)
    settings.ENCRYPTION_KEYS = ["new", "old"]
    call_command("rotate_encryption_keys")
    settings.ENCRYPTION_KEYS = ["new"]
    values = [value for row in Authenticator.objects.all() for value in row.data.values()]
    assert [second_factor_secrets.decrypt(value) for value in values] == [SECRET.value] * 2


def test_lost_key_names_every_row_and_changes_none(rows: list[EncryptedRow], settings: Any) -> None:
    settings.ENCRYPTION_KEYS = ["new"]
    with pytest.raises(CommandError) as refusal:
        call_command("rotate_encryption_keys")
    assert [row for row in rows if str(row) not in str(refusal.value)] == []
    settings.ENCRYPTION_KEYS = ["old"]
    for row in rows:
        row.refresh_from_db()
        assert {row.decrypt(name) for name in list_encrypted_fields(type(row))} == {SECRET}


def test_row_without_secrets_is_skipped(rocket: Integration, now: datetime, capsys: pytest.CaptureFixture[str]) -> None:
    BUILDERS[TestRun](rocket, now).save()
    call_command("rotate_encryption_keys")
    assert "Re-encrypted test runs: 0." in capsys.readouterr().out


def test_every_binary_column_is_encrypted_or_known_to_be_plain() -> None:
    columns = [(model, field) for model in apps.get_models() for field in model._meta.local_fields]
    binary = {(model, field.name): field for model, field in columns if isinstance(field, models.BinaryField)}
    plain = {column for column, field in binary.items() if not isinstance(field, EncryptedField)}
    assert plain == PLAIN_COLUMNS
    assert {model for model, _ in binary.keys() - plain} == set(BUILDERS)


def test_only_modules_with_rotation_encrypt() -> None:
    command = [
        "git",
        "grep",
        "--untracked",
        "-lE",
        r"crypto(\.| import .*)encrypt\b",
        "--",
        "portal",
        "integrations",
        "verification",
    ]
    found = subprocess.run(command, cwd=configured.BASE_DIR, capture_output=True, text=True, check=True)
    assert set(found.stdout.split()) == ENCRYPTING_MODULES
