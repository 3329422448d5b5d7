"""Names of roles. A role is portal-wide, such as "staff", or in one program, such as "manager:nomad"."""

from collections.abc import Collection

from django.utils.translation import gettext as _, gettext_lazy

from integrations.programs.registry import PROGRAMS
from portal.accounts.models import User

COLUMNS_BY_ROLE = {"reviewer": "is_reviewer", "staff": "is_staff", "superuser": "is_superuser", "auditor": "is_auditor"}
PROGRAM_ROLES = ("reviewer", "manager")
ADMINISTRATOR = "superuser"
AUDITOR = "auditor"
ROLE_LABELS = {
    "reviewer": gettext_lazy("Reviewer"),
    "manager": gettext_lazy("Program manager"),
    "auditor": gettext_lazy("Auditor"),
    "staff": gettext_lazy("Staff"),
    "superuser": gettext_lazy("Administrator"),
}
ROLES = (*COLUMNS_BY_ROLE, *(f"{role}:{program}" for role in PROGRAM_ROLES for program in PROGRAMS))


def list_roles(user: User) -> list[str]:
    """Return the roles of a user. A reviewer of some programs has their entries instead of "reviewer"."""
    roles = [role for role, column in COLUMNS_BY_ROLE.items() if getattr(user, column)]
    # The column is also set for reviewers of some programs.
    if list_programs(user, "reviewer"):
        roles = [role for role in roles if role != "reviewer"]
    return [*roles, *user.program_roles]


def list_programs(user: User, role: str) -> list[str]:
    """Return the programs in which a user has the role as a program role."""
    pairs = (each.partition(":") for each in user.program_roles)
    return [program for name, _separator, program in pairs if name == role]


def list_manageable_roles(user: User) -> list[str]:
    """Return the roles that a user can grant and revoke: all as an administrator, or those of the managed programs."""
    if user.is_superuser:
        return list(ROLES)
    return [f"{role}:{program}" for program in list_programs(user, "manager") for role in PROGRAM_ROLES]


def describe_role(role: str) -> str:
    """Return the translated label of a role, with its program."""
    name, _separator, program = role.partition(":")
    if not program:
        return str(ROLE_LABELS[name])
    title = PROGRAMS[program].name if program in PROGRAMS else program
    return _("%(role)s of %(program)s") % {"role": ROLE_LABELS[name], "program": title}


def merge_roles(current: Collection[str], grant: Collection[str], revoke: Collection[str]) -> set[str]:
    """Return the roles after a change. Grants win over revocations.

    "reviewer" covers all programs: its grant or revocation removes the limits. The grant of "reviewer:nomad" limits
    a reviewer of all programs.
    """
    revoked = set(revoke)
    # A reviewer of all programs has no entries for single programs.
    if "reviewer" in {*grant, *revoke}:
        revoked |= {role for role in current if role.startswith("reviewer:")}
    if any(role.startswith("reviewer:") for role in grant):
        revoked.add("reviewer")
    return (set(current) - revoked) | set(grant)
