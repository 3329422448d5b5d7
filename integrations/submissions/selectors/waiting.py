"""Names of the parties that integrations wait for."""

from django.utils.translation import gettext as _

from integrations.submissions.models import Integration
from integrations.submissions.workflow.compliance_guards import is_excluded_from_decision
from integrations.submissions.workflow.states import ResponsibleParty


def describe_responsible(integration: Integration) -> str:
    """Return the name of whoever must act next; blank if no action is needed."""
    party = integration.responsible_party
    if party == ResponsibleParty.PARTNER:
        return integration.partner.name
    if party == ResponsibleParty.PROGRAM:
        # docs/explanation/compliance.md, "Who decides": if the reviewer made an earlier decision, the item isn't
        # theirs.
        reviewer = integration.reviewer
        can_act = reviewer is not None and not is_excluded_from_decision(integration, reviewer.pk)
        return str(reviewer) if can_act else _("the program")
    if party == ResponsibleParty.THIRD_PARTY:
        return _("others")
    is_checking = integration.is_open and integration.next_action_target.startswith("requirement:")
    return _("the portal") if is_checking else ""


def get_waiting_label(integration: Integration) -> str:
    """Return what readers who can't act see before the next action; blank if no action is needed."""
    if integration.is_pending:
        return _("Decision pending")
    name = describe_responsible(integration)
    return _("Waiting for %(name)s") % {"name": name} if name else ""
