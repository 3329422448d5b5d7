"""Report scopes with their names, metrics, and readers."""

from dataclasses import dataclass

from django.core.validators import slug_re
from django.utils.translation import gettext, gettext_noop

from integrations.partners import permission_conditions, permissions
from integrations.partners.models import Partner
from integrations.programs.registry import PROGRAMS
from integrations.sla.metrics import GLOBAL_SCOPE, MetricsScope
from portal.accounts.models import User

PROGRAMS_SCOPE = "programs"
ALL_PROGRAMS = gettext_noop("all programs")


@dataclass(frozen=True, slots=True)
class ReportScope:
    """Scope of a report. Reports of programs have no partner."""

    key: str
    name: str
    scope: MetricsScope
    partner: Partner | None = None


def find_report_scope(key: str) -> ReportScope | None:
    """Return the scope of a key, or None."""
    kind, _, rest = key.partition(":")
    if key == PROGRAMS_SCOPE:
        return ReportScope(key, ALL_PROGRAMS, GLOBAL_SCOPE)
    if kind == "program" and rest in PROGRAMS:
        return ReportScope(key, PROGRAMS[rest].name, MetricsScope(program_key=rest))
    # PostgreSQL refuses texts with NUL.
    if kind == "partner" and slug_re.match(rest):
        partner = Partner.objects.filter(slug=rest).first()
        return build_partner_scope(partner) if partner else None
    return None


def build_partner_scope(partner: Partner) -> ReportScope:
    return ReportScope(build_partner_key(partner.slug), partner.name, MetricsScope(partner_id=partner.pk), partner)


def build_partner_key(slug: str) -> str:
    return f"partner:{slug}"


def get_display_name(key: str, name: str) -> str:
    """Return the display name of a scope. Names of partners and programs are not translated."""
    return gettext(ALL_PROGRAMS) if key == PROGRAMS_SCOPE else name


def can_read_report(user: User, report_scope: ReportScope) -> bool:
    """Return whether a user can read a report: program staff all reports, and members those of their company."""
    return permissions.is_program_staff(user) or (
        report_scope.partner is not None and bool(permissions.get_role(report_scope.partner, user))
    )


def can_manage_report(user: User, report_scope: ReportScope) -> bool:
    """Return whether a user can send the emails of a report: managers of its program, and staff."""
    # Reports of partners and of all programs have no program, so only staff can send them.
    return permissions.can_manage_program(report_scope.scope.program_key, user)


def list_readers(report_scope: ReportScope) -> list[User]:
    """Return the users who can receive a report."""
    if report_scope.partner is None:
        people = User.objects.filter(permission_conditions.IS_PROGRAM_STAFF, is_active=True)
        return list(people.order_by("pk"))
    return report_scope.partner.list_members()
