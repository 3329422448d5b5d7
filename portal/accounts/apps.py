"""Configuration of the accounts app."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "portal.accounts"
    label = "accounts"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from portal.accounts import security_signals  # noqa: PLC0415 - models must be loaded first

        security_signals.connect_receivers()
