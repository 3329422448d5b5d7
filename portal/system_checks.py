"""System checks that need the apps or the database."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.checks import Error, Tags, register
from django.db import DatabaseError, transaction

from integrations.partners import permissions
from integrations.partners.refusals import REFUSALS_BY_RULE
from integrations.programs.registry import PROGRAMS
from integrations.programs.requirements import KINDS
from integrations.reviews.finding_templates import TEMPLATES_BY_PROGRAM
from integrations.sla import issue_decisions
from integrations.submissions import compliance_emails
from integrations.submissions.services.transitions import list_all_transitions
from integrations.submissions.workflow import next_action
from integrations.submissions.workflow.transition_options import TRANSITION_OPTIONS
from portal.accounts.models import User
from portal.accounts.role_names import ROLES
from portal.audit.event_types import EVENT_TYPES
from portal.core.content_errors import suggest
from portal.demo.content import PEOPLE
from portal.webhooks import permissions as webhook_permissions


@dataclass(frozen=True, slots=True)
class NameList:
    """Names in a content file that code must know.

    Attributes:
        path: The content file.
        names: The names in the file.
        known_names: The names that exist.
    """

    path: str
    names: Iterable[str]
    known_names: Iterable[str]

    def find_errors(self) -> Iterator[Error]:
        """Yield an error for each unknown name."""
        known_names = sorted(self.known_names)
        for name in sorted(set(self.names).difference(known_names)):
            yield Error(f"Unknown name in {self.path}: {name}.", hint=suggest(name, known_names), id="portal.E004")


COMPLIANCE_EVENT_TYPES = [name for name in EVENT_TYPES if name.startswith("compliance.")]
ACTION_CODES = (*next_action.TEXTS, *next_action.COUNTED_TEXTS)  # also of compliance requests
NAME_LISTS = (
    NameList(
        "integrations/partners/content/refusals.yaml",
        REFUSALS_BY_RULE,
        {
            name
            for module in (permissions, webhook_permissions)
            for name, rule in vars(module).items()
            if callable(rule)
        },
    ),
    NameList(
        "integrations/programs/content/requirement_kinds.yaml",
        [kind.action for kind in KINDS.values()],
        [code for code, text in next_action.TEXTS.items() if text.label],
    ),
    NameList("integrations/reviews/content/finding_templates.yaml", TEMPLATES_BY_PROGRAM, PROGRAMS),
    NameList(
        "integrations/sla/content/issue_decisions.yaml",
        issue_decisions.TEXTS,
        [decision.name for decision in issue_decisions.DECISIONS],
    ),
    NameList(
        "integrations/submissions/content/compliance_emails.yaml",
        compliance_emails.TEXTS,
        [*EVENT_TYPES, *(f"{name}.{code}" for name in COMPLIANCE_EVENT_TYPES for code in ACTION_CODES)],
    ),
    NameList(
        "integrations/submissions/content/transitions.yaml",
        TRANSITION_OPTIONS,
        [transition.name for _field, transition in list_all_transitions()],
    ),
)


@register()
def check_names_in_content(app_configs: object, **_: object) -> list[Error]:
    """Check that the permission rules, actions, programs, and so on that content files name exist."""
    return [error for name_list in NAME_LISTS for error in name_list.find_errors()]


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
