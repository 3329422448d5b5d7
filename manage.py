#!/usr/bin/env python3
"""The command line of the portal."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import OperationalError, ProgrammingError

from portal.core.content_errors import ContentError

# Not 1, with which commands report a negative result, such as a changed audit log.
UNUSABLE_EXIT_CODE = 2
DATABASE_ADVICE = (
    "Check DATABASE_URL, or PORTAL_DATA of an embedded portal. If tables are missing, run “manage.py migrate”. "
    "--traceback shows the details."
)


def main() -> None:
    """Run a command. Invalid settings or content files and an unusable database end it with a message."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
    try:
        execute_from_command_line(sys.argv)
    except (ImproperlyConfigured, ContentError) as error:
        message = str(error)
    except (OperationalError, ProgrammingError) as error:
        if "--traceback" in sys.argv:
            raise
        message = f"Database error: {str(error).strip()}. {DATABASE_ADVICE}"
    else:
        return
    sys.stderr.write(f"{message}\n")
    sys.exit(UNUSABLE_EXIT_CODE)


if __name__ == "__main__":
    main()
