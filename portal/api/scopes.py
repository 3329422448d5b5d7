"""What may a token do? One table: the scope, what it lets through in words, and which tokens can hold it.

A scope never adds to what its person or company may do anyway; it only takes away.
"""

from dataclasses import dataclass

from django.utils.translation import gettext_noop as _


@dataclass(frozen=True, slots=True)
class Scope:
    """One line of the table. `program`: only people of the program; `owner`: never held by a company's token."""

    key: str
    does: str
    program: bool = False
    owner: bool = False


SCOPES = (
    Scope("integrations:read", _("Read integrations: requirements, findings, history, documents, standing")),
    Scope("integrations:write", _("Work on integrations: drafts, answers, documents, meetings, messages")),
    Scope("steps:take", _("Take steps: submit, request the review, withdraw, decide")),
    Scope("checks:read", _("Read what the checks, rehearsals and schemas say")),
    Scope("checks:write", _("Have checks and rehearsals run, hand in schemas, and report results from CI")),
    Scope("credentials:write", _("Give and withdraw test accounts; none can be read")),
    Scope("sla:read", _("Read issues in support, their clocks and the reports")),
    Scope("sla:write", _("Change what the clocks are kept by: labels, calendar, severity")),
    Scope("companies:read", _("Read companies and their people")),
    Scope("companies:write", _("Manage a company: people, invitations, its record"), owner=True),
    Scope("reviews:write", _("Review: claim, write findings, waive"), program=True),
    Scope("notifications:read", _("Read what the person was told"), owner=True),
    Scope("notifications:write", _("Choose how notices reach the person"), owner=True),
    Scope("webhooks:read", _("Read webhooks and their log"), owner=True),
    Scope("webhooks:write", _("Pause, resume, replay, change and remove webhooks"), owner=True),
    Scope("webhooks:add", _("Add webhooks, and make the secrets that they are signed with"), owner=True),
    Scope("office:read", _("Take lists as tables, and the office's figures; read saved views")),
    Scope("views:write", _("Save, rename and delete lists"), owner=True),
    Scope("outbox:read", _("Read the mail that went out"), program=True),
)
BY_KEY = {scope.key: scope for scope in SCOPES}


def offered(*, program: bool, company: bool) -> list[Scope]:
    """The scopes that a new token can be given: of a person of the program or not, of a company or not."""
    return [scope for scope in SCOPES if (program or not scope.program) and not (company and scope.owner)]
