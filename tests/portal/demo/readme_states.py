"""States of integrations that the README names, as conditions."""

from datetime import timedelta

from django.db.models import Q
from django.db.models.functions import Now

WAIVED = Q(fulfillments__waiver_expires_at__gt=Now())
README_STATES = {
    "just submitted": Q(stage="engage"),
    "in development": Q(stage="develop"),
    "failed checks": Q(stage="develop", fulfillments__status="fail"),
    "waived requirement": Q(stage="review") & WAIVED,
    "first review": Q(stage="review", review_round=1),
    "second round of a review": Q(stage="review", review_round=2),
    "requested changes": Q(review_state="changes"),
    "proposed meeting times": Q(meetings__state="proposed"),
    "on hold": ~Q(on_hold_for=""),
    "declined": Q(stage="declined"),
    "approval that can be undone": Q(undo_until__gt=Now()),
    "agreement without the program's signature": Q(partner__agreements__completed_at=None)
    & Q(partner__agreements__signatures__isnull=False),
    "listed": Q(listing_status="listed"),
    "unavailable repository": Q(monitored_repository__data_up_to__lt=Now() - timedelta(hours=12)),
    "severity of an issue lowered by agreement": Q(events__event_type="issue.severity_reduced"),
    "migrated to the upcoming edition": Q(edition_date="2026-06", events__event_type="integration.edition_moved"),
    "tier requested and a breach disputed": ~Q(tier_request="") & Q(issues__disputed_at__isnull=False),
    "check waived": Q(stage="support") & WAIVED,
    "on notice": Q(listing_status="on_notice"),
    "suspended": Q(listing_status="suspended"),
    "delisted": Q(listing_status="delisted"),
    "support commitment ended": Q(stage="support", listing_status="unlisted"),
    "archived": Q(stage="archived"),
    "withdrawn": Q(stage="withdrawn"),
}
