"""URLs of integrations and reviews."""

from integrations.reviews.views import partners, queue, review
from integrations.submissions.views import (
    detail,
    draft_confirmation,
    draft_conflicts,
    drafts,
    edit,
    introductions,
    lists,
    program_catalog,
    requirements,
)

urlpatterns = [
    *program_catalog.urlpatterns,
    *drafts.urlpatterns,
    *draft_conflicts.urlpatterns,
    *draft_confirmation.urlpatterns,
    *introductions.urlpatterns,
    *lists.urlpatterns,
    *partners.urlpatterns,
    *detail.urlpatterns,
    *edit.urlpatterns,
    *requirements.urlpatterns,
    *queue.urlpatterns,
    *review.urlpatterns,
]
