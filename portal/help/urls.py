"""URLs of the help app."""

from portal.help.views import pages as helping
from portal.help.views import rules

app_name = "help"
urlpatterns = [
    *helping.urlpatterns,
    *rules.urlpatterns,
]
