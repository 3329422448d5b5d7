"""Integration of the review page with what the reviewer saw last, in one query."""

from uuid import UUID

from django.db.models import F, FilteredRelation, OuterRef, Q, Subquery

from integrations.submissions.models import EvidenceSnapshot, Integration, ReadMarker
from integrations.submissions.views.mixins import load_visible_integration
from integrations.submissions.workflow.states import ReviewState
from portal.accounts.requests import AuthenticatedRequest


def load_review(request: AuthenticatedRequest, uuid: UUID) -> Integration:
    """Return a visible integration for `get_read_marker` and `get_previous_snapshot`. Raises Http404."""
    # While the partner makes changes, the current round is the last one that the reviewer saw.
    is_seen = Q(round__lt=OuterRef("review_round")) | ~Q(integration__review_state=ReviewState.WAITING)
    snapshots = EvidenceSnapshot.objects.filter(is_seen, integration=OuterRef("pk")).order_by("-round")
    return load_visible_integration(
        request,
        uuid,
        marker=FilteredRelation("read_markers", condition=Q(read_markers__user=request.user)),
        marker_seq=F("marker__seq"),
        marker_at=F("marker__at"),
        previous_round=Subquery(snapshots.values("round")[:1]),
        previous_evidence=Subquery(snapshots.values("evidence")[:1]),
    )


def get_read_marker(integration: Integration, request: AuthenticatedRequest) -> ReadMarker | None:
    """Return the reader's marker, or None before the first visit."""
    seq, at = integration.marker_seq, integration.marker_at  # type: ignore[attr-defined]
    return None if at is None else ReadMarker(integration=integration, user=request.user, seq=seq, at=at)  # type: ignore[misc]


def get_previous_snapshot(integration: Integration) -> EvidenceSnapshot | None:
    """Return what the reviewer saw last in an earlier round, or None."""
    number, evidence = integration.previous_round, integration.previous_evidence  # type: ignore[attr-defined]
    return None if number is None else EvidenceSnapshot(integration=integration, round=number, evidence=evidence)
