"""Time zones that forms offer."""

from functools import cache
from zoneinfo import available_timezones

HIDDEN_PREFIXES = ("Etc/", "SystemV/")  # fixed offsets and obsolete names


@cache
def list_zone_choices() -> tuple[tuple[str, str], ...]:
    """Return UTC and the zones of places as choices, ordered by name."""
    zones = sorted(zone for zone in available_timezones() if "/" in zone and not zone.startswith(HIDDEN_PREFIXES))
    return (("UTC", "UTC"), *((zone, zone.replace("_", " ")) for zone in zones))
