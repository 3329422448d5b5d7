"""What may a token do? One table: the scope, what it lets through in words, and which tokens can hold it.

A scope never adds to what its person or company may do anyway; it only takes away.
"""

from dataclasses import dataclass

from django.utils.translation import gettext_noop as _


@dataclass(frozen=True, slots=True)
class TokenScope:
    """One line of the table. `program`: only people of the program; `owner`: never held by a company's token."""

    key: str
    description: str
    program: bool = False
    owner: bool = False


SCOPES = (
    TokenScope("integrations:read", _("Read integrations: requirements, findings, history, documents, standing")),
    TokenScope("integrations:write", _("Work on integrations: drafts, answers, documents, meetings, messages")),
    TokenScope("transitions:write", _("Take steps: submit, request the review, withdraw, decide")),
    TokenScope("checks:read", _("Read what the checks, rehearsals and schemas say")),
    TokenScope("checks:write", _("Have checks and rehearsals run, hand in schemas, and report results from CI")),
    TokenScope("credentials:write", _("Give and withdraw test accounts; none can be read")),
    TokenScope("sla:read", _("Read issues in support, their clocks and the reports")),
    TokenScope("sla:write", _("Change what the clocks are kept by: labels, calendar, severity")),
    TokenScope("partners:read", _("Read companies and their people")),
    TokenScope("partners:write", _("Manage a company: people, invitations, its record"), owner=True),
    TokenScope("reviews:write", _("Review: claim, write findings, waive"), program=True),
    TokenScope("notifications:read", _("Read what the person was told"), owner=True),
    TokenScope("notifications:write", _("Choose how notices reach the person"), owner=True),
    TokenScope("webhooks:read", _("Read webhooks and their log"), owner=True),
    TokenScope("webhooks:write", _("Pause, resume, replay, change and remove webhooks"), owner=True),
    TokenScope("webhooks:create", _("Add webhooks, and make the secrets that they are signed with"), owner=True),
    TokenScope("analytics:read", _("Take lists as tables, and the office's figures; read saved views")),
    TokenScope("saved-views:write", _("Save, rename and delete lists"), owner=True),
    TokenScope("emails:read", _("Read the mail that went out"), program=True),
)
SCOPES_BY_KEY = {scope.key: scope for scope in SCOPES}


def list_available_scopes(*, is_program_staff: bool, is_partner_token: bool) -> list[TokenScope]:
    """The scopes that a new token can be given: of a person of the program or not, of a company or not."""
    return [
        scope for scope in SCOPES if (is_program_staff or not scope.program) and not (is_partner_token and scope.owner)
    ]
