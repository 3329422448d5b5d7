"""Where a web server enters (WSGI)."""

import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")

application = get_wsgi_application()
assert get_resolver().url_patterns  # read now: the first visitor does not wait for the modules of all pages
