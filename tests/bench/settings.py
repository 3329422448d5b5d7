"""The portal's settings with the addresses of the plain pages."""

from typing import Any

from portal.database_url import POSTGRESQL
from portal.settings import *  # noqa: F403

ROOT_URLCONF = "tests.bench.urls"
LOGGING = {"version": 1, "disable_existing_loggers": True}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # hundreds of users are created
database: dict[str, Any] = DATABASES["default"]  # noqa: F405
if database["ENGINE"] == POSTGRESQL:  # statements that fill the tables take longer than a request may
    database["OPTIONS"]["options"] += " -c statement_timeout=0"
