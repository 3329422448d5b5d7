"""URL configuration of the portal."""

from django.contrib import admin
from django.urls import include, path

from integrations.compliance import views as compliance
from integrations.partners.views import calendar as calendars
from integrations.sla.views import dashboard as sla
from integrations.sla.views import issue as issues
from integrations.sla.views import label_policy as labels
from portal.analytics.saved_views import views as saved_views
from portal.analytics.views import dashboard as office
from portal.analytics.views import exports as office_files
from portal.dashboard.views import home, theme
from portal.directory.badges.views import badges
from portal.directory.badges.views import verification as verifying
from portal.directory.views import listings as public
from portal.help.views import pages as helping
from portal.notifications.views import email_log
from portal.notifications.views import preferences as choices
from portal.reports import views as reports
from portal.status import views as health
from portal.styleguide import views as styleguide
from portal.webhooks import views as webhooks

urlpatterns = [
    path("", home.show_home, name="home"),
    path("", include("portal.urls_accounts")),
    path("", include("portal.urls_integrations")),
    path("", include("portal.urls_verification")),
    path("", include("integrations.reviews.views.transitions")),
    path("", include("integrations.reviews.views.edition_migration")),
    *public.urlpatterns,
    *badges.urlpatterns,
    *verifying.urlpatterns,
    *helping.urlpatterns,
    *reports.urlpatterns,
    *sla.urlpatterns,
    *issues.urlpatterns,
    *calendars.urlpatterns,
    *labels.urlpatterns,
    *office.urlpatterns,
    *office_files.urlpatterns,
    *saved_views.urlpatterns,
    *compliance.urlpatterns,
    *webhooks.urlpatterns,
    *choices.urlpatterns,
    path("", include("portal.api.urls")),
    path("emails/", email_log.show_email_log, name="outbox"),
    path("emails/<uuid:uuid>/", email_log.show_email, name="mail"),
    path("notifications/", email_log.show_notifications, name="notifications"),
    path("theme/", theme.set_theme, name="theme"),
    path("styleguide/", styleguide.show_styleguide, name="styleguide"),
    path("healthz", health.check_health, name="healthz"),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
]
