"""Replacement for Django's changepassword command, which always refuses."""

from django.contrib.auth.management.commands import changepassword
from django.core.management.base import CommandError


class Command(changepassword.Command):
    """Command that refuses, because no one can set the password of another person."""

    requires_migrations_checks = False
    help = "Not available. People reset their own password on the sign-in page."

    def handle(self, *args: object, **options: object) -> None:
        raise CommandError(
            "You can't set the password of another person. Ask the person to select “Forgot your password?” on the "
            "sign-in page. If an administrator has not used the first link yet, run “manage.py bootstrap” again."
        )
