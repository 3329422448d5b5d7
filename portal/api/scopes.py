"""Scopes of API tokens.

Scopes only limit the permissions of the token's user or partner. They never add permissions.
"""

from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.partners.models import Partner
from portal.accounts.models import User
from portal.core.content_files import Content, load_section


class TokenScope(Content):
    """Scope of a token. `program` limits it to program staff, `owner` to personal tokens."""

    key: str
    description: str
    program: bool = False
    owner: bool = False

    @property
    def audience(self) -> str:
        """Return the tokens that can have the scope."""
        if self.program:
            return _("Program staff")
        return _("Personal tokens") if self.owner else _("All tokens")


SCOPES = load_section("portal/api/content/scopes.yaml", "scopes", tuple[TokenScope, ...])
SCOPES_BY_KEY = {scope.key: scope for scope in SCOPES}


def list_available_scopes(creator: User, partner: Partner | None) -> list[TokenScope]:
    """Return the scopes that a new token of the creator, or of a partner, can have."""
    is_program_staff = permissions.is_program_staff(creator)
    return [scope for scope in SCOPES if (is_program_staff or not scope.program) and not (partner and scope.owner)]
