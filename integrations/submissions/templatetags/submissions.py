"""Template tags for other pages: the agreements and contacts of a company, and decisions that no reviewer can make."""

from collections.abc import Mapping
from typing import Any

from django import template
from django.utils import timezone

from integrations.partners import permissions
from integrations.partners.models import Partner
from integrations.partners.selectors import is_unconfirmed
from integrations.submissions.models import Integration
from integrations.submissions.selectors.agreements import build_rows, select_partner_agreements
from integrations.submissions.selectors.answers import group_by_critical_issue_address
from integrations.submissions.selectors.deciders import has_no_decider
from integrations.submissions.workflow.next_action import render_action_text
from portal.accounts.role_names import list_manageable_roles
from portal.core.value_types import TemplateContext
from portal.ui.pagination import paginate

PAGE_SIZE = 20

register = template.Library()


@register.filter
def action_text(action: Mapping[str, Any]) -> str:
    """Return the text of a next action that an event stores, in the reader's language."""
    return render_action_text(action["code"], action["params"])


@register.inclusion_tag("submissions/partials/agreements.html", takes_context=True)
def show_agreements(context: TemplateContext, partner: Partner) -> dict[str, object]:
    """Render a page of the versions of the partner's agreements, with documents for those who can download them."""
    request = context["request"]
    page = paginate(request, select_partner_agreements(partner), PAGE_SIZE, parameter="agreements")
    return {
        "request": request,
        "partner": partner,
        "page": page,
        "rows": build_rows(partner, list(page)),
        "can_download": permissions.can_download(partner, request.user, is_agreement=True),
    }


@register.inclusion_tag("submissions/partials/contacts.html", takes_context=True)
def show_contacts(context: TemplateContext, partner: Partner) -> dict[str, object]:
    """Render the addresses for critical issues of a company with supported integrations, for owners to confirm."""
    # A large company has hundreds of integrations and a few addresses.
    integrations_by_address = group_by_critical_issue_address(partner)
    return {
        "partner": partner,
        "csrf_token": context.get("csrf_token"),
        "contacts": [(address, rows[:3], len(rows[3:])) for address, rows in integrations_by_address.items()],
        "is_unconfirmed": is_unconfirmed(partner, timezone.now()),
        "can_confirm": permissions.can_manage_partner(partner, context["request"].user),
    }


@register.inclusion_tag("submissions/partials/no_decider.html", takes_context=True)
def no_decider_banner(context: TemplateContext, integration: Integration) -> dict[str, object]:
    """Tell program staff that no reviewer can make the pending decision, and how to add one."""
    user = context["request"].user
    return {
        "is_shown": permissions.can_view_notes(integration, user) and has_no_decider(integration),
        "program": integration.program,
        "can_invite": f"reviewer:{integration.program_key}" in list_manageable_roles(user),
    }
