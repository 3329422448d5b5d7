"""Which address about people and companies leads where?"""

from allauth.account.decorators import reauthentication_required
from allauth.account.views import password_set
from django.urls import path

from portal.accounts import enrollment, second_factor, views, views_joining, views_profile, views_record, views_security

urlpatterns = [
    path("profile/", views_profile.profile, name="profile"),
    path("profile/security/", views_security.security_log, name="security_log"),
    path("profile/second-factor/", second_factor.second_factor_required, name="second_factor_required"),
    path("accounts/sign-in-again/", views_security.sign_in_again, name="sign_in_again"),
    path("accounts/email/", views_security.EmailAddressesView.as_view(), name="account_email"),
    # In front of the library's own: it lets any open session set a first password.
    path(
        "accounts/password/set/",
        reauthentication_required(app="allauth.account")(password_set),
        name="account_set_password",
    ),
    path("accounts/enroll/<str:uidb36>/<str:key>/", enrollment.EnrollmentView.as_view(), name="enrollment"),
    path("company/", views.company, name="company"),
    path("company/new/", views_joining.company_new, name="company_new"),
    path("company/join/", views_joining.company_join, name="company_join"),
    path("company/invited/<int:pk>/", views_joining.company_invited, name="company_invited"),
    path("company/<slug:slug>/", views.company, name="company"),
    path("company/<slug:slug>/change/", views_record.company_change, name="company_change"),
    path("company/<slug:slug>/invite/", views.company_invite, name="company_invite"),
    path("company/<slug:slug>/invitations/<int:pk>/", views.company_invitation, name="company_invitation"),
    path("company/<slug:slug>/requests/<int:pk>/", views.company_request, name="company_request"),
    path("company/<slug:slug>/people/<int:pk>/", views.company_member, name="company_member"),
    path("invitations/<str:token>/", views_joining.invitation, name="invitation"),
]
