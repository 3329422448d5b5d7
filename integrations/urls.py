"""Which address of this floor leads where? Each room of views names its own."""

from integrations.views import (
    companies,
    confirm,
    conflict,
    handing,
    integration,
    introductions,
    lists,
    own_facts,
    programs,
    queue,
    review,
    start,
)

urlpatterns = [
    *programs.urlpatterns,
    *start.urlpatterns,
    *conflict.urlpatterns,
    *confirm.urlpatterns,
    *introductions.urlpatterns,
    *lists.urlpatterns,
    *companies.urlpatterns,
    *integration.urlpatterns,
    *own_facts.urlpatterns,
    *handing.urlpatterns,
    *queue.urlpatterns,
    *review.urlpatterns,
]
