"""Agreements and partners that match the filters of their lists, for pages and exports."""

from django.db.models import Case, Count, OuterRef, Q, QuerySet, Subquery, When
from django.db.models.functions import Coalesce
from django.utils import timezone

from integrations.partners.models import Partner, VerificationState
from integrations.partners.selectors import build_active_owner_condition, select_unconfirmed
from integrations.submissions.models import Agreement, Integration
from integrations.submissions.selectors.agreements import select_agreements
from integrations.submissions.workflow.states import FINAL_STAGES
from portal.core.value_types import NamedValues

AGREEMENT_FILTERS = ("kind", "version", "state", "method")


def filter_agreements(filters: NamedValues) -> QuerySet[Agreement]:
    """Return the agreements that match all filters, newest first."""
    conditions = {name: filters[name] for name in AGREEMENT_FILTERS if filters.get(name)}
    if filters.get("q"):
        conditions["partner__name__icontains"] = filters["q"]
    return select_agreements().select_related("partner").filter(**conditions)


def filter_partners(filters: NamedValues) -> QuerySet[Partner]:
    """Return the partners that match all filters, with `open_count` and `listed_count`.

    Those that need a decision come first.
    """
    condition = Q()
    if query := filters.get("q"):
        condition = Q(name__icontains=query) | Q(domain__icontains=query)
    if state := filters.get("state"):
        condition &= Q(verification_state=state)
    if filters.get("owner"):
        condition &= Q(~build_active_owner_condition(), merged_into=None)
    if filters.get("contacts"):
        condition &= Q(pk__in=select_unconfirmed(timezone.now()).values("pk"))
    return (
        Partner.objects.filter(condition)
        .select_related("alliances_manager")
        .annotate(
            open_count=count_integrations(~Q(stage__in=[str(s) for s in FINAL_STAGES])),
            listed_count=count_integrations(~Q(listing_status__in=["unlisted", "delisted"])),
        )
        .order_by(Case(When(verification_state=VerificationState.NEEDS_DECISION, then=0), default=1), "name")
    )


def count_integrations(condition: Q) -> Coalesce:
    """Return a subquery, which the database runs only for the partners of a page. A join would count all."""
    counts = Integration.objects.filter(condition, partner=OuterRef("pk")).order_by().values("partner")
    return Coalesce(Subquery(counts.values(count=Count("pk"))), 0)
