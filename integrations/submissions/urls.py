"""URLs of the submissions app."""

from integrations.submissions.views import (
    draft_confirmation,
    drafts,
    edit,
    introductions,
    lists,
    program_catalog,
    requirement_actions,
    texts,
    workspace,
)

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
    *requirement_actions.urlpatterns,
]
