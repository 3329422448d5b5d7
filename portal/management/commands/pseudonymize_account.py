"""Command that deletes the personal data of a deactivated account."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from portal.accounts.models import User
from portal.core.cli import build_usage_error
from portal.core.errors import ActionRefused
from portal.pseudonymization import pseudonymize


class Command(BaseCommand):
    help = (
        "Delete the name, addresses, credentials, settings, and emails of a deactivated account. The audit log and "
        "decisions stay. This can't be undone."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email", help="Email address of the account.")
        parser.add_argument("--reason", required=True, help="Reason for the audit log. Don't name the person.")

    def handle(self, *args: object, **options: Any) -> None:
        user = User.objects.filter(email=options["email"].lower()).first()
        if user is None:
            raise build_usage_error(f"No account found for {options['email']}.")
        try:
            user = pseudonymize(user, reason=options["reason"], now=timezone.now())
        except ActionRefused as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(f"The account is now “{user}” ({user.email}).")
