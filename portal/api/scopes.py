"""Scopes of API tokens.

Scopes only limit the permissions of the token's user or partner. They never add permissions.
"""

from dataclasses import dataclass

from django.utils.translation import gettext_noop as _


@dataclass(frozen=True, slots=True)
class TokenScope:
    """Scope of a token. `program` limits it to program staff, `owner` to personal tokens."""

    key: str
    description: str
    program: bool = False
    owner: bool = False

    @property
    def audience(self) -> str:
        """Return the tokens that can have the scope."""
        return "Program staff" if self.program else "Personal tokens" if self.owner else "All tokens"


SCOPES = (
    TokenScope("integrations:read", _("Read integrations: requirements, findings, history, documents, compliance")),
    TokenScope("integrations:write", _("Edit integrations: drafts, answers, documents, meetings, messages")),
    TokenScope("transitions:write", _("Perform transitions: submit, request review, withdraw, decide")),
    TokenScope("checks:read", _("Read checks, test runs, and provider schemas")),
    TokenScope("checks:write", _("Run checks and tests, upload provider schemas, and report CI results")),
    TokenScope("credentials:write", _("Add and withdraw test accounts, without read access to them")),
    TokenScope("sla:read", _("Read support issues, SLA clocks, and reports")),
    TokenScope("sla:write", _("Change label policies, calendars, and severities")),
    TokenScope("partners:read", _("Read partners and their members")),
    TokenScope("partners:write", _("Manage partners: members, invitations, profile"), owner=True),
    TokenScope("reviews:write", _("Review integrations: claims, findings, waivers"), program=True),
    TokenScope("notifications:read", _("Read your notifications"), owner=True),
    TokenScope("notifications:write", _("Change your notification preferences"), owner=True),
    TokenScope("webhooks:read", _("Read webhooks and delivery logs"), owner=True),
    TokenScope("webhooks:write", _("Pause, resume, replay, change, and delete webhooks"), owner=True),
    TokenScope("webhooks:create", _("Create webhooks and rotate signing secrets"), owner=True),
    TokenScope("analytics:read", _("Read analytics, export tables, and read saved views")),
    TokenScope("saved-views:write", _("Create, rename, and delete saved views"), owner=True),
    TokenScope("emails:read", _("Read the email log"), program=True),
)
SCOPES_BY_KEY = {scope.key: scope for scope in SCOPES}


def list_available_scopes(*, is_program_staff: bool, is_partner_token: bool) -> list[TokenScope]:
    """Return the scopes that a new token can have."""
    return [
        scope for scope in SCOPES if (is_program_staff or not scope.program) and not (is_partner_token and scope.owner)
    ]
