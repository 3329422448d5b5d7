"""Integration of the review page with what the reviewer saw last."""

from uuid import UUID

from django.db.models import BigIntegerField, F, FilteredRelation, Q, QuerySet

from integrations.submissions.models import EvidenceSnapshot, Integration, ReadMarker
from integrations.submissions.views.access import load_visible_integration, select_integration
from integrations.submissions.workflow.states import ReviewState
from portal.accounts.requests import AuthenticatedRequest
from portal.core.compiled_queries import CompiledQuery, Parameter


def load_review(request: AuthenticatedRequest, uuid: UUID) -> Integration:
    """Return a visible integration for `get_read_marker`. Raises Http404."""
    return load_visible_integration(request, uuid, REVIEW, reader=request.user.pk)


def _select_review() -> QuerySet[Integration]:
    is_own = Q(read_markers__user=Parameter("reader", BigIntegerField()))
    rows = select_integration().annotate(marker=FilteredRelation("read_markers", condition=is_own))
    return rows.annotate(marker_seq=F("marker__seq"), marker_at=F("marker__at"))


REVIEW = CompiledQuery(_select_review)


def get_read_marker(integration: Integration, request: AuthenticatedRequest) -> ReadMarker | None:
    """Return the reader's marker, or None before the first visit."""
    seq, at = integration.marker_seq, integration.marker_at
    return None if at is None else ReadMarker(integration=integration, user=request.user, seq=seq, at=at)


def get_previous_snapshot(integration: Integration) -> EvidenceSnapshot | None:
    """Return what the reviewer saw last in an earlier round, or None. The first review takes no query."""
    # While the partner makes changes, the current round is the last one that the reviewer saw.
    is_waiting = integration.review_state == ReviewState.WAITING
    last_round = integration.review_round - is_waiting
    snapshots = EvidenceSnapshot.objects.filter(integration=integration, round__lte=last_round)
    return snapshots.order_by("-round").first() if last_round else None
