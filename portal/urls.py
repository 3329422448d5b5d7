"""URLs of the project: one include per app."""

from allauth.account.decorators import reauthentication_required
from allauth.account.views import password_set
from django.contrib import admin
from django.urls import include, path
from django.utils.translation import gettext_lazy as _

admin.site.site_header = _("Partner portal administration")
admin.site.site_title = _("Partner portal")

urlpatterns = [
    path("", include("portal.dashboard.urls")),
    path("", include("portal.accounts.urls")),
    path("", include("portal.github_access.urls")),
    path(
        "accounts/password/set/",
        reauthentication_required(app="allauth.account")(password_set),
        name="account_set_password",
    ),
    path("", include("integrations.partners.urls")),
    path("", include("integrations.submissions.urls")),
    path("", include("integrations.reviews.urls")),
    path("", include("verification.checks.urls")),
    path("", include("portal.directory.urls")),
    path("", include("verification.schemas.urls")),
    path("", include("verification.testruns.urls")),
    path("", include("verification.discovery.urls")),
    path("", include("portal.urls_inbound")),
    path("", include("integrations.sla.urls")),
    path("", include("portal.help.urls")),
    path("", include("portal.search.urls")),
    path("", include("portal.reports.urls")),
    path("", include("portal.analytics.urls")),
    path("", include("integrations.compliance.urls")),
    path("", include("portal.webhooks.urls")),
    path("", include("portal.inbox.urls")),
    path("", include("portal.api.urls")),
    path("", include("portal.styleguide.urls")),
    path("", include("portal.status.urls")),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
]

handler400 = "portal.core.error_pages.show_bad_request"
