"""Time zone detection from the browser at sign-in and sign-up."""

from zoneinfo import available_timezones

from django.http import HttpRequest

from portal.accounts.models import User

BROWSER_ZONE_FIELD = "browser_zone"  # hidden in both forms, filled in by a script


def update_time_zone(request: HttpRequest, user: User) -> bool:
    """Set the user's time zone from the browser. Return whether it changed, without saving.

    Unknown time zones are ignored. A time zone that the user selected is kept.
    """
    browser_zone = request.POST.get(BROWSER_ZONE_FIELD, "")
    if user.zone_chosen or browser_zone == user.zone or browser_zone not in available_timezones():
        return False
    user.zone = browser_zone
    return True
