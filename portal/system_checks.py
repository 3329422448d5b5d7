"""System checks that need the apps or the database."""

from typing import Any

from django.conf import settings
from django.core.checks import Error, Tags, register
from django.db import DatabaseError, transaction

from integrations.programs.registry import PROGRAMS
from portal.accounts.models import User
from portal.accounts.role_names import ROLES
from portal.demo.content import PEOPLE


@register()
def check_editions_exist(app_configs: object, **_: object) -> list[Error]:
    """Check that the programs and editions in PROGRAM_EDITIONS exist."""
    errors = []
    for key, date in settings.PROGRAM_EDITIONS.items():
        if key not in PROGRAMS:
            programs = ", ".join(PROGRAMS)
            errors.append(Error(f"Unknown program in PROGRAM_EDITIONS: {key}.", hint=f"Programs: {programs}."))
        elif date not in PROGRAMS[key].by_date:
            editions = ", ".join(PROGRAMS[key].by_date)
            errors.append(
                Error(f"Unknown edition of {key} in PROGRAM_EDITIONS: {date}.", hint=f"Editions: {editions}.")
            )
    return errors


@register()
def check_group_roles_exist(app_configs: object, **_: object) -> list[Error]:
    """Check that the roles in OIDC_GROUP_ROLES exist."""
    names = {role for roles in settings.OIDC_GROUP_ROLES.values() for role in roles}
    hint = f"Roles: {', '.join(ROLES)}."
    return [Error(f"Unknown role in OIDC_GROUP_ROLES: {name}.", hint=hint) for name in sorted(names - set(ROLES))]


@register(Tags.database)
def check_demo_is_absent(app_configs: object, **options: Any) -> list[Error]:
    """Refuse a production database with demo users, because their passwords are published."""
    # Django names the databases only to checks that may use them, such as those of “migrate”.
    if not (settings.PRODUCTION and "default" in (options.get("databases") or [])):
        return []
    demo_users = User._default_manager.filter(email__in=[person.email for person in PEOPLE.people])
    try:
        with transaction.atomic():
            has_demo_users = demo_users.filter(is_active=True).exists()
    except DatabaseError:  # before the first migration there are no users
        return []
    message = "The database contains the demo data, whose passwords are published."
    return [Error(message, hint="Start production with an empty database.", id="portal.E003")] if has_demo_users else []
