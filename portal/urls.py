"""Which address leads where?"""

from django.contrib import admin
from django.urls import include, path

from portal import health, home, outbox, styleguide, theme
from portal.badges import views as badges
from portal.badges import views_verify as verifying
from portal.help import views as helping
from portal.hooks import views as webhooks
from portal.notifications import views as choices
from portal.office import views as office
from portal.office import views_files as office_files
from portal.office import views_saved as saved_views
from portal.public import views as public
from portal.reports import views as reports
from portal.sla import views as sla
from portal.sla import views_calendar as calendars
from portal.sla import views_issue as issues
from portal.sla import views_labels as labels
from portal.standing import views as standing

urlpatterns = [
    path("", home.home, name="home"),
    path("", include("portal.accounts.urls")),
    path("", include("integrations.urls")),
    path("", include("verification.urls")),
    path("", include("portal.steps")),
    path("", include("portal.move_edition")),
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
    *standing.urlpatterns,
    *webhooks.urlpatterns,
    *choices.urlpatterns,
    path("", include("portal.api.urls")),
    path("outbox/", outbox.outbox, name="outbox"),
    path("outbox/<uuid:uuid>/", outbox.mail, name="mail"),
    path("notifications/", outbox.notifications, name="notifications"),
    path("theme/", theme.choose, name="theme"),
    path("styleguide/", styleguide.styleguide, name="styleguide"),
    path("healthz", health.healthz, name="healthz"),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
]
