"""Template tag for what sources state about an integration."""

from django import template
from django.urls import reverse

from integrations.programs.requirements import RequirementKind
from integrations.submissions.models import Integration
from verification.checks.facts import group_facts
from verification.checks.services.facts import is_read_as_private, load_facts

register = template.Library()
register.filter(is_read_as_private)
ENDPOINT_FACTS = frozenset({"endpoint", "reply"})
QUESTIONS = {"listing": "provider", "endpoint": "endpoint"}  # keys of the questions whose answers name these objects


@register.inclusion_tag("checks/partials/fact_groups.html")
def show_facts(integration: Integration, *, can_edit: bool) -> dict[str, object]:
    """Render the facts by source, with links to where the user can change an object. Without any, nothing is shown."""
    stored, read_at = load_facts(integration)
    is_other_endpoint = _has_other_endpoint(integration, {fact.key: fact.value for fact in stored}.get("endpoint", ""))
    facts = [fact for fact in stored if not (is_other_endpoint and fact.key in ENDPOINT_FACTS)]
    edit_urls = _build_edit_urls(integration) if can_edit and integration.is_open else {}
    is_same = any(fact.key == "repository" and fact.value.lower() == integration.repository.lower() for fact in facts)
    hidden = {"repository"} if is_same else set[str]()
    return {"groups": group_facts(facts, read_at, edit_urls, hidden), "separated": True}


def _has_other_endpoint(integration: Integration, url: str) -> bool:
    """Return whether the company has named another endpoint than the one that was read at the start."""
    # The endpoint of the start was read once and isn't updated when the answer changes.
    answers = {fulfillment.data.get(QUESTIONS["endpoint"]) for fulfillment in integration.fulfillments_by_id.values()}
    return bool(answers - {None, "", url})


def _build_edit_urls(integration: Integration) -> dict[str, str]:
    """Return the pages where people name the objects, by the keys of the facts."""
    requirement_by_question = {
        question.key: requirement
        for requirement in integration.edition.list_requirements()
        if requirement.kind == RequirementKind.FORM
        for question in requirement.fields
    }
    pages = {
        fact: reverse("submissions:requirement", args=[integration.uuid, requirement_by_question[question].id])
        for fact, question in QUESTIONS.items()
        if question in requirement_by_question
    }
    return pages | {"repository": f"{reverse('submissions:edit', args=[integration.uuid])}#id_repository_address"}
