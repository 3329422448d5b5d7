"""Creation of integrations and changes of their descriptions."""

from collections.abc import Mapping
from datetime import datetime

from django.utils.translation import gettext as _

from integrations.partners import permissions, refusals
from integrations.partners.models import Partner
from integrations.partners.services.changes import change_partner
from integrations.programs.registry import get_edition
from integrations.programs.selectors import get_edition_in_force
from integrations.submissions.models import DESCRIPTION_FIELDS, REPOSITORY_FIELDS, Integration
from integrations.submissions.selectors.context import needs_access
from integrations.submissions.services.changes import IntegrationChange, change_integration
from integrations.submissions.services.removed_requirements import end_removed_requirements
from integrations.submissions.services.shared_answers import copy_shared_answers
from portal.accounts.models import User
from portal.core.errors import ActionRefused, StaleVersionError


def create_integration(
    partner: Partner,
    program: str,
    values: Mapping[str, object],
    *,
    actor: User,
    now: datetime,
    edition: str = "",
    reader: User | None = None,
) -> Integration:
    """Create an integration at the first position of its program.

    `values` holds DESCRIPTION_FIELDS and REPOSITORY_FIELDS. Answers that apply to all integrations of the partner are
    copied. `reader` is the person with whose GitHub access a private repository is read. Raises ActionRefused if the
    actor can't edit for the partner, or the partner was merged.
    """
    refusals.require_permission(permissions.can_edit_partner, partner, actor)
    first_edition = get_edition(program, edition) if edition else get_edition_in_force(program)
    first_step, first_stage = first_edition.positions[0]
    # Under the lock, so that no one signs an agreement or merges the company before the new integration is visible.
    with change_partner(partner.pk, actor=actor, now=now):
        integration = Integration(
            partner=partner,
            program_key=program,
            edition_date=first_edition.date,
            stage=first_stage,
            step=first_step.key,
            created_by=actor,
            created_at=now,
            responsible_party="partner",
            responsible_since=now,
            repository_reader=reader,
            **{key: values[key] for key in (*DESCRIPTION_FIELDS, *REPOSITORY_FIELDS) if key in values},
        )
        integration.save()
        copy_shared_answers(integration)
        change = IntegrationChange(integration, actor, now)
        change.save()
        change.record("integration.created", program=program, edition=first_edition.date, name=integration.name)
    return integration


def change_description(
    integration: Integration,
    values: Mapping[str, object],
    *,
    actor: User | None,
    now: datetime,
    version: int | None = None,
) -> Integration:
    """Change description fields or the repository, and record old and new values. `version`: that the user saw.

    Raises:
        ActionRefused: The actor can't edit the integration, or it has ended or changed.
    """
    with change_integration(integration, permissions.can_edit, actor=actor, now=now) as change:
        change.require_open()
        # Under the lock: two requests with the same ETag must not both succeed.
        if version is not None and version != change.integration.version:
            raise StaleVersionError(_("The integration changed. Reload it, then try again."))
        row = change.integration
        keys = [key for key in (*DESCRIPTION_FIELDS, *REPOSITORY_FIELDS) if key in values]
        changes = {key: [getattr(row, key), values[key]] for key in keys if getattr(row, key) != values[key]}
        for key, (_previous, value) in changes.items():
            setattr(row, key, value)
        # The reader was recorded for the previous repository.
        if "repository" in changes:
            row.repository_reader = None
        event_type = "integration.repository_changed" if "repository" in changes else "integration.edited"
        if changes:
            change.record(event_type, changes=changes)
            change.withdraw_first_approval()
        if "category" in changes:
            end_removed_requirements(row, now)
    return row


def change_repository_reader(integration: Integration, *, actor: User, now: datetime) -> None:
    """Read the private repository with the actor's GitHub access. Raises ActionRefused.

    A repository that was public at the start has no reader until GitHub no longer shows it.
    """
    with change_integration(integration, permissions.can_edit, actor=actor, now=now) as change:
        row = change.integration
        if row.repository_reader_id is None and not any(map(needs_access, row.fulfillments_by_id.values())):
            raise ActionRefused(_("This repository isn't read with anyone's GitHub access."))
        row.repository_reader = actor
        change.record("integration.reader_changed")


def assign_manager(partner: Partner, manager: User | None, *, actor: User, now: datetime) -> None:
    """Assign the alliances manager of a partner. Only program staff can do this."""
    if not permissions.can_write_for_programs(actor):
        raise ActionRefused(_("Only program staff can assign an alliances manager."), "forbidden")
    with change_partner(partner.pk, actor=actor, now=now) as change:
        if change.partner.alliances_manager != manager:
            change.partner.alliances_manager = manager
            change.partner.save()
            change.record("partner.manager_assigned", manager=str(manager or ""))
