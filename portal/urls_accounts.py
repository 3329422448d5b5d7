"""Which address about people and companies leads where?"""

from allauth.account.decorators import reauthentication_required
from allauth.account.views import password_set
from django.urls import path

from integrations.partners.views import members, onboarding
from integrations.partners.views import profile as views_record
from portal.accounts import enrollment, second_factor, security_views
from portal.accounts import views as views_profile

urlpatterns = [
    path("profile/", views_profile.profile, name="profile"),
    path("profile/security/", security_views.security_log, name="security_log"),
    path("profile/second-factor/", second_factor.second_factor_required, name="second_factor_required"),
    path("accounts/sign-in-again/", security_views.sign_in_again, name="sign_in_again"),
    path("accounts/email/", security_views.EmailAddressesView.as_view(), name="account_email"),
    # In front of the library's own: it lets any open session set a first password.
    path(
        "accounts/password/set/",
        reauthentication_required(app="allauth.account")(password_set),
        name="account_set_password",
    ),
    path("accounts/enroll/<str:uidb36>/<str:key>/", enrollment.EnrollmentView.as_view(), name="enrollment"),
    path("company/", members.company, name="company"),
    path("company/new/", onboarding.company_new, name="company_new"),
    path("company/join/", onboarding.company_join, name="company_join"),
    path("company/invited/<int:pk>/", onboarding.company_invited, name="company_invited"),
    path("company/<slug:slug>/", members.company, name="company"),
    path("company/<slug:slug>/change/", views_record.company_change, name="company_change"),
    path("company/<slug:slug>/invite/", members.company_invite, name="company_invite"),
    path("company/<slug:slug>/invitations/<int:pk>/", members.company_invitation, name="company_invitation"),
    path("company/<slug:slug>/requests/<int:pk>/", members.company_request, name="company_request"),
    path("company/<slug:slug>/people/<int:pk>/", members.company_member, name="company_member"),
    path("invitations/<str:token>/", onboarding.invitation, name="invitation"),
]
