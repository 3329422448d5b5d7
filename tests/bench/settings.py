"""The portal's settings with the addresses of the plain pages."""

from portal.settings import *  # noqa: F403

ROOT_URLCONF = "tests.bench.urls"
LOGGING = {"version": 1, "disable_existing_loggers": True}
