"""The first people of a new portal."""

from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_email
from django.utils import timezone

from portal.accounts import enrollment
from portal.accounts.models import User
from portal.core.errors import ActionRefused

ADMINISTRATOR_ROLES = ("staff", "superuser")
REVIEWER_ROLES = ("reviewer",)


class Command(BaseCommand):
    help = (
        "Makes the administrator and the first reviewers of a new portal and prints a link for each, which sets a "
        "password and a second factor. Needs no mail server. Run again, it makes new links for links not yet used."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--administrator", metavar="EMAIL", default="", help="who may do everything")
        parser.add_argument("--name", default="", help="the administrator's name")
        parser.add_argument("--reviewer", metavar="EMAIL", action="append", default=[], help="may be given repeatedly")

    def handle(self, *args: Any, administrator: str, name: str, reviewer: list[str], **options: Any) -> None:
        if not (administrator or reviewer):
            raise CommandError("Name somebody: --administrator EMAIL, --reviewer EMAIL, or both.")
        for email in filter(None, [administrator, *reviewer]):
            refuse_invalid_email(email)
        refuse_second_administrator(administrator)
        now = timezone.now()
        if administrator:
            self.enroll("Administrator", administrator, name, ADMINISTRATOR_ROLES, now)
        for email in reviewer:
            self.enroll("Reviewer", email, "", REVIEWER_ROLES, now)

    def enroll(self, label: str, email: str, name: str, role_names: tuple[str, ...], now: datetime) -> None:
        """Give somebody their roles and print how they get in."""
        try:
            user = enrollment.enroll(email, name, role_names, now)
        except ActionRefused as refusal:
            raise CommandError(f"{email}: {refusal}") from None
        if not enrollment.is_unused(user):
            self.stdout.write(f"{label} {user.email}: signs in as usual.")
            return
        end = enrollment.get_link_end(now)
        self.stdout.write(f"{label} {user.email}: open this link once, until {end:%Y-%m-%d %H:%M} UTC:")
        self.stdout.write(f"  {enrollment.create_link(user)}")


def refuse_invalid_email(email: str) -> None:
    """Raise CommandError for what is no address."""
    try:
        validate_email(email)
    except ValidationError:
        raise CommandError(f"Enter a valid email address, not {email!r}.") from None


def refuse_second_administrator(email: str) -> None:
    """Raise CommandError where the portal has another administrator, or none and none is named."""
    administrators = enrollment.list_administrators()
    if not administrators and not email:
        raise CommandError("The portal has no administrator yet. Name one with --administrator EMAIL.")
    other = next((user for user in administrators if user.email != email.lower()), None)
    if email and other is not None:
        raise CommandError(f"The portal has an administrator, {other.email}. {describe_way_in(other)}")
    active_administrator = next((user for user in administrators if not enrollment.is_unused(user)), None)
    if email and active_administrator is not None:
        raise CommandError(
            f"{active_administrator.email} is the administrator already and has signed up. They sign in as usual."
        )


def describe_way_in(administrator: User) -> str:
    if not enrollment.is_unused(administrator):
        return "They grant roles to others after signing in."
    return f"They have not used their link. Make a new one with --administrator {administrator.email}."
