"""URLs of the reviews app."""

from integrations.reviews.views import edition_migration, partner_decisions, partners, queue, review, transitions

app_name = "reviews"
urlpatterns = [
    *partners.urlpatterns,
    *partner_decisions.urlpatterns,
    *queue.urlpatterns,
    *review.urlpatterns,
    *transitions.urlpatterns,
    *edition_migration.urlpatterns,
]
