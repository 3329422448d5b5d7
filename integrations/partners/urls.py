"""URLs of the partners app."""

from django.urls import path

from integrations.partners.views import members, onboarding, verification

app_name = "partners"
urlpatterns = [
    path("company/", members.show_partner, name="members"),
    path("company/new/", onboarding.create_partner_page, name="create"),
    path("company/join/", onboarding.join_partner, name="join"),
    path("company/invited/<int:pk>/", onboarding.accept_own_invitation, name="accept_invitation"),
    path("company/<slug:slug>/join/", onboarding.join_by_domain, name="join_by_domain"),
    path("company/<slug:slug>/", members.show_partner, name="members"),
    path("company/<slug:slug>/change/", members.edit_partner_profile, name="edit"),
    path("company/<slug:slug>/verification/", verification.verify_partner, name="verify"),
    path("company/<slug:slug>/contacts/", members.confirm_contacts, name="confirm_contacts"),
    path("company/<slug:slug>/invite/", members.invite_member, name="invite"),
    path("company/<slug:slug>/invitations/<int:pk>/", members.change_invitation, name="change_invitation"),
    path("company/<slug:slug>/requests/<int:pk>/", members.decide_join_request, name="decide_join_request"),
    path("company/<slug:slug>/people/<int:pk>/", members.change_member, name="change_member"),
    path("invitations/<str:token>/", onboarding.show_invitation, name="invitation"),
]
