"""How does an integration come to be, and how are its own facts changed?"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.partners.models import Partner
from integrations.programs.registry import PROGRAMS
from integrations.programs.schema import Edition, Requirement, Scope
from integrations.submissions.models import Integration, RequirementState
from integrations.submissions.services.transitions import changing, refresh
from integrations.submissions.workflow.states import Status
from portal.audit.services import record
from portal.core.errors import NotAllowed

OWN_FACTS = ("name", "description", "category", "offerings", "homepage")
REPOSITORY = ("repository", "repository_id", "repository_owner_id")


def entering_edition(program: str) -> Edition:
    """The edition that a new integration enters: the setting's, else the newest."""
    chosen = settings.PROGRAM_EDITIONS.get(program)
    return PROGRAMS[program].edition(chosen) if chosen else PROGRAMS[program].newest


def create(
    partner: Partner, program: str, facts: Mapping[str, Any], *, by: Any, now: datetime, edition: str = ""
) -> Integration:
    """A new integration at the first place of its program's path.

    `facts` holds OWN_FACTS and REPOSITORY. What the company gave once for all of its integrations (agreements,
    a combined summary) is taken over. Raises NotAllowed where `by` may not edit for the partner.
    """
    if by is not None and not permissions.edits(partner, by):
        raise NotAllowed(permissions.refusal("may_edit"), "may")
    entered = PROGRAMS[program].edition(edition) if edition else entering_edition(program)
    first_step, first_stage = entered.positions()[0]
    with transaction.atomic():
        row = Integration(
            partner=partner,
            program_key=program,
            edition_date=entered.date,
            stage=first_stage,
            step=first_step.key,
            created_by=by,
            created_at=now,
            turn_holder="partner",
            turn_since=now,
            **{key: facts[key] for key in (*OWN_FACTS, *REPOSITORY) if key in facts},
        )
        row.save()
        _take_over_shared(row, entered)
        refresh(row, now)
        row.save()
        record(row, "created", by=by, now=now, program=program, edition=entered.date, name=row.name)
    return row


def _take_over_shared(row: Integration, edition: Edition) -> None:
    """Copy what the company gave once for all of its integrations."""
    shared = {r.id: r for r in edition.requirements() if r.scope == Scope.PARTNER}
    given = RequirementState.objects.filter(
        integration__partner=row.partner, integration__program_key=row.program_key, requirement_id__in=shared
    ).order_by("given_at")
    latest = {state.requirement_id: state for state in given}
    elsewhere = RequirementState.objects.filter(integration__partner=row.partner, given_at__isnull=False)
    agreements = {
        r.agreement: state
        for state in elsewhere.select_related("integration").order_by("given_at")
        for r in [state.requirement]
        if r is not None and r.agreement
    }
    for requirement in shared.values():
        source = agreements.get(requirement.agreement) if requirement.agreement else latest.get(requirement.id)
        if source is not None:
            RequirementState.objects.create(
                integration=row,
                requirement_id=requirement.id,
                status=Status.OPEN if is_combined(requirement) else source.status,
                data=source.data,
                summary=source.summary,
                given_by=source.given_by,
                given_at=source.given_at,
            )


def is_combined(requirement: Requirement) -> bool:
    """A text that names all of the company's integrations is read again whenever one is added."""
    return any(field.max_lines for field in requirement.fields)


def change_facts(integration: Integration, facts: Mapping[str, Any], *, by: Any, now: datetime) -> Integration:
    """Change name, description, category, offerings, homepage or the repository. Records old and new."""
    with changing(integration, permissions.may_edit, by=by, now=now) as row:
        keys = [key for key in (*OWN_FACTS, *REPOSITORY) if key in facts and getattr(row, key) != facts[key]]
        changes = {key: [getattr(row, key), facts[key]] for key in keys}
        for key in keys:
            setattr(row, key, facts[key])
        if changes:
            verb = "repository_changed" if "repository" in changes else "facts_changed"
            record(row, verb, by=by, now=now, changes=changes)
    return row


def assign_manager(partner: Partner, manager: Any, *, by: Any, now: datetime) -> None:
    """Name the Alliances manager of a company. Only people of the program may."""
    if not permissions.works_for_program(by):
        raise NotAllowed(_("Only the program may name a company's Alliances manager."), "may")
    with transaction.atomic():
        locked = Partner.objects.select_for_update().get(pk=partner.pk)
        locked.alliances_manager = manager
        locked.save()
        record(locked, "manager_named", by=by, now=now, manager=str(manager) if manager else "")
