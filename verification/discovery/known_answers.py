"""Answers to the questions of a program that the portal already knows."""

from collections.abc import Mapping
from datetime import datetime

from django.conf import settings

from integrations.programs.requirements import RequirementKind
from integrations.submissions.models import Integration
from integrations.submissions.services import drafts
from portal.accounts.models import User


def draft_known_answers(integration: Integration, facts: Mapping[str, str], *, actor: User, now: datetime) -> None:
    """Save a draft for each form with a known answer, so that no one types it again."""
    known = list_known_answers(integration, facts, actor)
    # What a person has submitted outweighs what the portal derives.
    answered = set(integration.fulfillments.exclude(submitted_at=None).values_list("requirement_id", flat=True))
    for requirement in integration.edition.list_requirements():
        data = {question.key: known[question.key] for question in requirement.fields if known.get(question.key)}
        if requirement.kind == RequirementKind.FORM and data and requirement.id not in answered:
            # Only a draft: the partner reviews and submits it.
            draft = drafts.get_or_create_answer_draft(integration, requirement.id, actor=actor, now=now)
            drafts.save_draft(draft, data, version=draft.version, actor=actor, now=now)


def list_known_answers(integration: Integration, facts: Mapping[str, str], actor: User) -> dict[str, str]:
    """Return known answers by the key of the question, which means the same in every program.

    Args:
        integration: The integration with its description.
        facts: `listing` (full name of a provider), `docs` (URL of a folder), and `endpoint` (URL), where known.
        actor: The person who starts the integration, who becomes the contact.
    """
    listing = facts.get("listing", "")
    registry_docs = f"{settings.REGISTRY_URL}/providers/{listing}/latest/docs" if listing else ""
    return {
        "contact_name": str(actor),
        "contact_email": actor.email,
        "use_case": integration.description,
        "text": integration.description,
        "page": integration.homepage,
        "documentation": registry_docs or facts.get("docs", ""),
        "tracker": f"{integration.repository_url}/issues" if integration.repository else "",
        "endpoint": facts.get("endpoint", ""),
        "provider": listing,
    }
