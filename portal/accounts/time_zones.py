"""Which zone is a person in who never chose one? The one that the browser names at sign-in and sign-up."""

from zoneinfo import available_timezones

from django.http import HttpRequest

from portal.accounts.models import User

BROWSER_ZONE_FIELD = "browser_zone"  # hidden in both forms; a script writes it


def update_time_zone(request: HttpRequest, user: User) -> bool:
    """Take over what the browser said; whether that is news. The caller saves.

    A zone that does not exist says nothing, and one that the person chose stands.
    """
    browser_zone = request.POST.get(BROWSER_ZONE_FIELD, "")
    if user.zone_chosen or browser_zone == user.zone or browser_zone not in available_timezones():
        return False
    user.zone = browser_zone
    return True
