"""Command that changes the roles and the status of an account."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from integrations.partners.selectors import list_solely_owned_partners
from portal.accounts import roles
from portal.accounts.models import User
from portal.accounts.role_names import ROLES, list_roles
from portal.core.cli import build_usage_error
from portal.core.errors import ActionRefused
from portal.core.value_types import NamedValues


class Command(BaseCommand):
    """Change roles or status. The audit log and an email to the owner record the change."""

    help = "Grant or revoke roles of an account, or deactivate or reactivate the account."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email", help="Email address of the account.")
        parser.add_argument(
            "--grant", action="append", default=[], choices=ROLES, metavar="ROLE", help="Role to grant."
        )
        parser.add_argument(
            "--revoke", action="append", default=[], choices=ROLES, metavar="ROLE", help="Role to revoke."
        )
        parser.add_argument("--reason", required=True, help="Reason for the audit log and the email.")
        state = parser.add_mutually_exclusive_group()
        state.add_argument("--deactivate", action="store_true", help="Deactivate the account and end its sessions.")
        state.add_argument("--reactivate", action="store_true", help="Reactivate the account.")

    def handle(self, *args: object, **options: Any) -> None:
        user = User.objects.filter(email=options["email"].lower()).first()
        if user is None:
            raise build_usage_error(f"No account found for {options['email']}. The person must sign up first.")
        if not (options["grant"] or options["revoke"] or options["deactivate"] or options["reactivate"]):
            raise build_usage_error("Nothing to change. Specify --grant, --revoke, --deactivate, or --reactivate.")
        decision: NamedValues = {"actor": None, "now": timezone.now(), "reason": options["reason"]}
        try:
            # A refused role must not leave the account reactivated.
            with transaction.atomic():
                if options["reactivate"]:
                    roles.reactivate(user, **decision)
                if options["grant"] or options["revoke"]:
                    roles.change_roles(user, grant=options["grant"], revoke=options["revoke"], **decision)
                if options["deactivate"]:
                    roles.deactivate(user, **decision)
        except ActionRefused as refusal:
            raise CommandError(str(refusal)) from refusal
        user.refresh_from_db()
        role_names = ", ".join(list_roles(user)) or "no roles"
        self.stdout.write(f"{user.email}: {role_names}, {'active' if user.is_active else 'deactivated'}.")
        if not user.is_active:
            self.warn_about_companies(user)

    def warn_about_companies(self, user: User) -> None:
        """Print the companies that have no active owner without the deactivated account."""
        for partner in list_solely_owned_partners(user):
            url = settings.SITE_URL + reverse("reviews:partner", args=[partner.slug])
            self.stderr.write(f"{partner} has no active owner. Appoint one: {url}", self.style.WARNING)
