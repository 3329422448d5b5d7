"""Command that creates the first accounts of a new portal."""

from datetime import datetime

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from portal.accounts import enrollment
from portal.accounts.models import User
from portal.core.cli import build_usage_error
from portal.core.errors import ActionRefused

ADMINISTRATOR_ROLES = ("staff", "superuser")
REVIEWER_ROLES = ("reviewer",)


class Command(BaseCommand):
    help = (
        "Create the administrator and the first reviewers of a new portal, and print a link for each person to set a "
        "password and a second factor. Requires no mail server. Running it again replaces unused links."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--administrator",
            metavar="EMAIL",
            default="",
            help="Email address of the administrator, who has all permissions.",
        )
        parser.add_argument("--name", default="", help="Name of the administrator.")
        parser.add_argument(
            "--reviewer", metavar="EMAIL", action="append", default=[], help="Email address of a reviewer. Repeatable."
        )

    def handle(self, *args: object, administrator: str, name: str, reviewer: list[str], **options: object) -> None:
        if not (administrator or reviewer):
            raise build_usage_error("Specify --administrator EMAIL, --reviewer EMAIL, or both.")
        for email in filter(None, [administrator, *reviewer]):
            refuse_invalid_value("email", email, email)
        refuse_invalid_value("name", name, "--name")
        # Before the first account is created, so that a refusal changes nothing.
        refuse_second_administrator(administrator)
        now = timezone.now()
        if administrator:
            self.enroll("Administrator", administrator, name, ADMINISTRATOR_ROLES, now)
        for email in reviewer:
            self.enroll("Reviewer", email, "", REVIEWER_ROLES, now)

    def enroll(self, label: str, email: str, name: str, role_names: tuple[str, ...], now: datetime) -> None:
        """Grant the roles and print the enrollment link."""
        try:
            user = enrollment.enroll(email, name, role_names, now)
        except ActionRefused as refusal:
            raise CommandError(f"{email}: {refusal}") from None
        # A link would replace the password of someone who can sign in.
        if not enrollment.is_unused(user):
            self.stdout.write(f"{label} {user.email}: already has access and can sign in.")
            return
        expires_at = enrollment.get_link_expiration(now)
        self.stdout.write(f"{label} {user.email}: open this single-use link before {expires_at:%Y-%m-%d %H:%M} UTC:")
        self.stdout.write(f"  {enrollment.create_link(user)}")


def refuse_invalid_value(field_name: str, value: str, label: str) -> None:
    """Raise CommandError, which begins with the label, for a value that the column refuses."""
    try:
        User._meta.get_field(field_name).run_validators(value)  # type: ignore[union-attr]
    except ValidationError as error:
        raise build_usage_error(f"{label}: {' '.join(error.messages)}") from None


def refuse_second_administrator(email: str) -> None:
    """Raise CommandError if the portal has another administrator, or has none and none is specified."""
    administrators = enrollment.list_administrators()
    if not administrators and not email:
        raise CommandError("The portal has no administrator. Specify one with --administrator EMAIL.")
    other = next((user for user in administrators if user.email != email.lower()), None)
    if email and other is not None:
        raise CommandError(f"The portal already has the administrator {other.email}. {describe_access(other)}")
    active_administrator = next((user for user in administrators if not enrollment.is_unused(user)), None)
    if email and active_administrator is not None:
        raise CommandError(f"{active_administrator.email} is already the administrator and can sign in.")


def describe_access(administrator: User) -> str:
    if not enrollment.is_unused(administrator):
        return "Ask them to grant the role."
    return f"They haven't used their link. Create a new one with --administrator {administrator.email}."
