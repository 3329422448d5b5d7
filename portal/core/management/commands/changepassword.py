"""Django's command that sets a person's password, which refuses here."""

from typing import Any

from django.contrib.auth.management.commands import changepassword
from django.core.management.base import CommandError


class Command(changepassword.Command):
    """A refusal: nobody sets another person's password."""

    requires_migrations_checks = False
    help = "Not available. People reset their own password on the sign-in page."

    def handle(self, *args: Any, **options: Any) -> None:
        raise CommandError(
            "Nobody sets another person's password. Ask the person to choose “Forgot your password?” on the sign-in "
            "page. Run “manage.py bootstrap” again if an administrator has not used the first link yet."
        )
