"""Configuration of the accounts app."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "portal.accounts"

    def ready(self) -> None:
        from portal.accounts import second_factor_secrets, security_signals  # noqa: PLC0415 - models must be loaded first
        from portal.core.encrypted_fields import OTHER_ROTATIONS  # noqa: PLC0415

        security_signals.connect_receivers()
        OTHER_ROTATIONS.append(second_factor_secrets.rotate_keys)
