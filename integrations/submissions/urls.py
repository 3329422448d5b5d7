"""URLs of the submissions app."""

from integrations.submissions.views import (
    draft_confirmation,
    drafts,
    edit,
    introductions,
    lists,
    program_catalog,
    texts,
    workspace,
)
from integrations.submissions.views.requirements import actions

app_name = "submissions"
urlpatterns = [
    *program_catalog.urlpatterns,
    *drafts.urlpatterns,
    *draft_confirmation.urlpatterns,
    *introductions.urlpatterns,
    *lists.urlpatterns,
    *workspace.urlpatterns,
    *edit.urlpatterns,
    *texts.urlpatterns,
    *actions.urlpatterns,
]
