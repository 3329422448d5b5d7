"""URLs of the reviews app."""

from integrations.reviews.views import edition_migration, partners, queue, review, transitions

app_name = "reviews"
urlpatterns = [
    *partners.urlpatterns,
    *queue.urlpatterns,
    *review.urlpatterns,
    *transitions.urlpatterns,
    *edition_migration.urlpatterns,
]
