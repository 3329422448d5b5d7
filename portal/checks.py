"""Do the settings fit the programs? What can only be known once the apps are loaded."""

from typing import Any

from django.conf import settings
from django.core.checks import Error, register

from integrations.programs import PROGRAMS


@register()
def editions_exist(app_configs: Any, **_: Any) -> list[Error]:
    """PROGRAM_EDITIONS names programs and editions that there are."""
    errors = []
    for key, date in settings.PROGRAM_EDITIONS.items():
        if key not in PROGRAMS:
            errors.append(Error(f"PROGRAM_EDITIONS names no program: {key}.", hint=f"One of {', '.join(PROGRAMS)}."))
        elif date not in PROGRAMS[key].by_date:
            there = ", ".join(PROGRAMS[key].by_date)
            errors.append(Error(f"PROGRAM_EDITIONS names no edition of {key}: {date}.", hint=f"One of {there}."))
    return errors
