"""Verification: the middle floor. It lends the lower floor its eyes."""

from django.apps import AppConfig


class VerificationConfig(AppConfig):
    name = "verification"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from integrations import repositories  # noqa: PLC0415 - models must be loaded first
        from verification.prefill import prefill  # noqa: PLC0415

        repositories.read_by(prefill)
