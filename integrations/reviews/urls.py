"""URLs of the reviews app."""

from integrations.reviews.views import (
    agreements,
    conflicts,
    edition_migration,
    findings,
    partners,
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
    *queue.urlpatterns,
    *queue_actions.urlpatterns,
    *rebalancing.urlpatterns,
    *review.urlpatterns,
    *transitions.urlpatterns,
    *edition_migration.urlpatterns,
]
