"""URLs of the submissions app."""

from django.urls import path

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
from integrations.submissions.views.requirements import agreements, documents, meetings

REQUIREMENT_PATH = "integrations/<uuid:uuid>/requirements/<str:requirement_id>/"

app_name = "submissions"
urlpatterns = [
    path("programs/choose/", program_catalog.show_chooser, name="choose_program"),
    path("programs/", program_catalog.list_programs, name="programs"),
    path("programs/<slug:key>/", program_catalog.show_program, name="program"),
    path("programs/choose/<slug:program>/", drafts.start_integration, name="start_program"),
    path("drafts/<uuid:uuid>/", drafts.show_draft, name="draft"),
    path("drafts/<uuid:uuid>/save/", drafts.autosave_draft, name="save_draft"),
    path("drafts/<uuid:uuid>/resolve/", drafts.resolve_conflict, name="resolve_draft_conflict"),
    path("drafts/<uuid:uuid>/overlaps/", drafts.show_overlaps, name="draft_overlaps"),
    path("drafts/<uuid:uuid>/discard/", drafts.discard_draft, name="discard_draft"),
    path("drafts/<uuid:uuid>/restore/", drafts.restore_draft, name="restore_draft"),
    path("drafts/<uuid:uuid>/confirm/", draft_confirmation.confirm_draft, name="confirm_draft"),
    path("integrations/<uuid:uuid>/similar/", introductions.show_similar, name="similar"),
    path("introductions/<int:pk>/", introductions.show_introduction, name="introduction"),
    path("integrations/", lists.list_integrations, name="list"),
    path("integrations/<uuid:uuid>/", workspace.show_integration, name="detail"),
    path("integrations/<uuid:uuid>/history/", workspace.show_history, name="history"),
    path("integrations/<uuid:uuid>/edit/", edit.edit_integration, name="edit"),
    path("integrations/<uuid:uuid>/preview/", texts.preview_text, name="preview_text"),
    path(REQUIREMENT_PATH, requirement_actions.show_requirement, name="requirement"),
    path(f"{REQUIREMENT_PATH}draft/", requirement_actions.autosave_draft, name="requirement_draft"),
    path(f"{REQUIREMENT_PATH}unsigned.pdf", agreements.download_unsigned_agreement, name="unsigned_agreement"),
    path("agreements/<int:pk>.pdf", agreements.download_agreement, name="agreement"),
    path("documents/<uuid:uuid>/", documents.download_document, name="document"),
    path("meetings/<uuid:uuid>.ics", meetings.download_meeting, name="meeting_ics"),
]
