"""URLs of the accounts app."""

from django.urls import path

from portal.accounts import enrollment, people_views, second_factor, security_views
from portal.accounts import views as views_profile

app_name = "accounts"
urlpatterns = [
    path("profile/", views_profile.edit_profile, name="profile"),
    path("profile/security/", security_views.show_security_log, name="security_log"),
    path("profile/second-factor/", second_factor.show_second_factor_required, name="second_factor_required"),
    path("accounts/sign-in-again/", security_views.request_new_sign_in, name="sign_in_again"),
    path("accounts/email/", security_views.EmailAddressesView.as_view(), name="email_addresses"),
    path("accounts/enroll/<str:uidb36>/<str:key>/", enrollment.EnrollmentView.as_view(), name="enrollment"),
    *people_views.urlpatterns,
]
