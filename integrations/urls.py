"""Which address of this floor leads where? Each room of views names its own."""

from integrations.views import companies, handing, integration, lists, programs, queue, review, start

urlpatterns = [
    *programs.urlpatterns,
    *start.urlpatterns,
    *lists.urlpatterns,
    *companies.urlpatterns,
    *integration.urlpatterns,
    *handing.urlpatterns,
    *queue.urlpatterns,
    *review.urlpatterns,
]
