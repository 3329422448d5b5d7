"""URLs of the reviews app."""

from integrations.reviews.views import (
    agreements,
    conflicts,
    edition_migration,
    findings,
    partner_decisions,
    partner_merge,
    partners,
    presence,
    queue,
    queue_actions,
    rebalancing,
    review,
    transitions,
)

app_name = "reviews"
urlpatterns = [
    *agreements.urlpatterns,
    *conflicts.urlpatterns,
    *findings.urlpatterns,
    *partners.urlpatterns,
    *partner_decisions.urlpatterns,
    *partner_merge.urlpatterns,
    *presence.urlpatterns,
    *queue.urlpatterns,
    *queue_actions.urlpatterns,
    *rebalancing.urlpatterns,
    *review.urlpatterns,
    *transitions.urlpatterns,
    *edition_migration.urlpatterns,
]
