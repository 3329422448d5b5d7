"""URLs of accounts and companies."""

from allauth.account.decorators import reauthentication_required
from allauth.account.views import password_set
from django.urls import path

from integrations.partners.views import members, onboarding
from integrations.partners.views import profile as views_record
from portal.accounts import enrollment, second_factor, security_views
from portal.accounts import views as views_profile

urlpatterns = [
    path("profile/", views_profile.edit_profile, name="profile"),
    path("profile/security/", security_views.show_security_log, name="security_log"),
    path("profile/second-factor/", second_factor.show_second_factor_required, name="second_factor_required"),
    path("accounts/sign-in-again/", security_views.request_new_sign_in, name="sign_in_again"),
    path("accounts/email/", security_views.EmailAddressesView.as_view(), name="account_email"),
    # Replaces the view of django-allauth, which lets any session set a first password.
    path(
        "accounts/password/set/",
        reauthentication_required(app="allauth.account")(password_set),
        name="account_set_password",
    ),
    path("accounts/enroll/<str:uidb36>/<str:key>/", enrollment.EnrollmentView.as_view(), name="enrollment"),
    path("company/", members.show_partner, name="company"),
    path("company/new/", onboarding.create_partner_page, name="company_new"),
    path("company/join/", onboarding.join_partner, name="company_join"),
    path("company/invited/<int:pk>/", onboarding.accept_own_invitation, name="company_invited"),
    path("company/<slug:slug>/", members.show_partner, name="company"),
    path("company/<slug:slug>/change/", views_record.edit_partner_profile, name="company_change"),
    path("company/<slug:slug>/invite/", members.invite_member, name="company_invite"),
    path("company/<slug:slug>/invitations/<int:pk>/", members.change_invitation, name="company_invitation"),
    path("company/<slug:slug>/requests/<int:pk>/", members.decide_join_request, name="company_request"),
    path("company/<slug:slug>/people/<int:pk>/", members.change_member, name="company_member"),
    path("invitations/<str:token>/", onboarding.show_invitation, name="invitation"),
]
