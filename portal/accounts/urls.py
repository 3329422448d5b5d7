"""URLs of the accounts app."""

from django.urls import path

from portal.accounts import enrollment, people_views, second_factor, views

app_name = "accounts"
urlpatterns = [
    path("profile/", views.edit_profile, name="profile"),
    path("profile/security/", views.show_security_log, name="security_log"),
    path("profile/second-factor/", second_factor.show_second_factor_required, name="second_factor_required"),
    path("accounts/sign-in-again/", views.request_new_sign_in, name="sign_in_again"),
    path("accounts/email/", views.EmailAddressesView.as_view(), name="email_addresses"),
    path("accounts/enroll/<str:uidb36>/<str:key>/", enrollment.EnrollmentView.as_view(), name="enrollment"),
    path("people/", people_views.list_people, name="people"),
    path("people/invite/", people_views.invite_person, name="invite_person"),
    path("people/<int:pk>/", people_views.show_person, name="person"),
    path("people/<int:pk>/account/", people_views.change_account, name="change_account"),
    path("people/invitations/<int:pk>/", people_views.change_invitation, name="change_invitation"),
    path("invitations/roles/<str:token>/", people_views.show_invitation, name="invitation"),
]
