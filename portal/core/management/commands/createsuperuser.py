"""Replacement for Django's createsuperuser command, which always refuses."""

from django.contrib.auth.management.commands import createsuperuser
from django.core.management.base import CommandError


class Command(createsuperuser.Command):
    """Command that refuses, because the account would have no verified address and no second factor."""

    requires_migrations_checks = False
    help = "Not available. Run bootstrap to create the first administrator, and change_role for the next ones."

    def handle(self, *args: object, **options: object) -> None:
        raise CommandError(
            "createsuperuser would create an account without a verified address and second factor. "
            "Run “manage.py bootstrap --administrator EMAIL” for the first administrator, and "
            "“manage.py change_role EMAIL --grant superuser --reason REASON” for the next ones."
        )
